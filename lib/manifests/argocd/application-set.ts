import type { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { FieldChecks } from '../../core/validation/fields';
import { dnsSubdomain, labelKey, oneOf, nonEmptyText } from '../../core/validation/formats';
import { byKind, listOf, refuseOptions } from '../../core/validation/option-keys';
import type { Option, OptionKeys, OptionsOf } from '../../core/validation/option-keys';
import { Problems } from '../../core/validation/problems';
import { applicationSpecManifest } from './application';
import { applicationTemplateKeys } from './application-template';
import type { ApplicationTemplate } from './application-template';
import { argoObject, argoObjectPropsKeys, checkArgoObject, jsonPointer } from './argo-object';
import type { ArgoObjectProps } from './argo-object';
import { anyGeneratorKeys } from './generators/common';
import { clusterDecisionResourceOptionsKeys, pluginOptionsKeys } from './generators/external';
import { checkGenerator, generatorManifest } from './generators/generator-manifest';
import { clustersOptionsKeys, gitOptionsKeys, listOptionsKeys } from './generators/generators';
import type { Generator } from './generators/generators';
import { pullRequestOptionsKeys } from './generators/pull-request';
import { scmProviderOptionsKeys } from './generators/scm-provider';
import { rollingSyncStepKeys, specForStrategy, strategyManifest } from './rolling-sync';
import type { ApplicationSetStrategy } from './rolling-sync';
import { checkTemplates } from './template-check';

const combiningKeys: OptionKeys = {
  ...anyGeneratorKeys,
  get generators(): Option {
    return listOf(generatorKeys);
  },
};

const kinds: Readonly<Record<Generator['kind'], OptionKeys>> = {
  list: listOptionsKeys,
  clusters: clustersOptionsKeys,
  git: gitOptionsKeys,
  scmProvider: scmProviderOptionsKeys,
  pullRequest: pullRequestOptionsKeys,
  plugin: pluginOptionsKeys,
  clusterDecisionResource: clusterDecisionResourceOptionsKeys,
  matrix: combiningKeys,
  get merge(): OptionKeys {
    return { ...combiningKeys, mergeKeys: 'list' };
  },
};

/** Keys of a generator of any kind, as an ApplicationSet takes it. */
const generatorKeys: ReturnType<typeof byKind> = byKind(kinds);

/**
 * What the controller may do to the Applications that it made.
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/Controlling-Resource-Modification/
 */
export interface ApplicationSetSyncPolicy {
  /** Whether what was deployed stays when an Application is deleted. @default false */
  readonly preserveResourcesOnDeletion?: boolean;
  /** Whether Applications are updated and deleted when the generators' results change. @default 'sync' */
  readonly applicationsSync?: 'create-only' | 'create-update' | 'create-delete' | 'sync';
}

const applicationSetSyncPolicyKeys: OptionsOf<ApplicationSetSyncPolicy> = {
  preserveResourcesOnDeletion: 'plain',
  applicationsSync: 'plain',
};

/** Fields of Applications that differ from the template and may. */
export interface IgnoredApplicationDifference {
  /** Name of the Application. @default - all of the set's */
  readonly name?: string;
  /** Fields by JSON pointer. @default - by `jqPathExpressions` */
  readonly jsonPointers?: readonly string[];
  /** Fields by jq expression. @default - by `jsonPointers` */
  readonly jqPathExpressions?: readonly string[];
}

const ignoredApplicationDifferenceKeys: OptionsOf<IgnoredApplicationDifference> = {
  name: 'plain',
  jsonPointers: 'list',
  jqPathExpressions: 'list',
};

/** What an ApplicationSet is made of. */
export interface ApplicationSetProps extends ArgoObjectProps {
  /** What Applications are made from; `generators` makes them. */
  readonly generators: readonly Generator[];
  /** What every Application looks like. */
  readonly template: ApplicationTemplate;
  /** A template that gives a patch for each Application, in JSON or YAML. Needs Go templates. @default - none */
  readonly templatePatch?: string;
  /** Whether templates are Go templates (`{{.name}}`) or plain substitution (`{{name}}`). @default true */
  readonly goTemplate?: boolean;
  /**
   * Options of Go templates.
   * @default ['missingkey=error'] - a parameter that is not there is an error, not the text "<no value>"
   */
  readonly goTemplateOptions?: readonly string[];
  /** What the controller may do to the Applications that it made. @default - everything */
  readonly syncPolicy?: ApplicationSetSyncPolicy;
  /**
   * Labels and annotations of the Applications that the controller leaves alone although the template has them not.
   * @default - the controller's own: those of notifications, refreshes and hydration
   */
  readonly preservedFields?: {
    /** Names of labels. */
    readonly labels?: readonly string[];
    /** Names of annotations. */
    readonly annotations?: readonly string[];
  };
  /**
   * Fields of the Applications that the controller leaves as it finds them, say what a user switches off for an hour.
   * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/Controlling-Resource-Modification/#ignore-certain-changes-to-applications
   * @default - none
   */
  readonly ignoreApplicationDifferences?: readonly IgnoredApplicationDifference[];
  /** In which order changes reach the Applications. @default - all at once */
  readonly strategy?: ApplicationSetStrategy;
}

/** Keys of `ApplicationSetProps`. */
export const applicationSetPropsKeys: OptionsOf<ApplicationSetProps> = {
  ...argoObjectPropsKeys,
  generators: listOf(generatorKeys),
  template: applicationTemplateKeys,
  templatePatch: 'plain',
  goTemplate: 'plain',
  goTemplateOptions: 'list',
  syncPolicy: applicationSetSyncPolicyKeys,
  preservedFields: { labels: 'list', annotations: 'list' },
  ignoreApplicationDifferences: listOf(ignoredApplicationDifferenceKeys),
  strategy: {
    type: 'plain',
    rollingSync: { steps: listOf(rollingSyncStepKeys), prune: 'plain' },
    deletionOrder: 'plain',
  },
};

/**
 * An Argo CD ApplicationSet: makes Applications from a template and what its generators find.
 *
 * @example
 * // podinfo on every registered cluster with the label `env: production`:
 * new argocd.ApplicationSet(chart, 'podinfo', {
 *   name: 'podinfo',
 *   generators: [generators.clusters({ selector: { matchLabels: { env: 'production' } } })],
 *   template: {
 *     metadata: { name: '{{.nameNormalized}}-podinfo' },
 *     spec: {
 *       project: 'apps',
 *       source: { repoURL: 'https://github.com/stefanprodan/podinfo', path: 'kustomize', targetRevision: '6.14.1' },
 *       destination: { name: '{{.name}}', namespace: 'podinfo' },
 *       syncPolicy: { automated: { prune: true, selfHeal: true }, syncOptions: ['CreateNamespace=true'] },
 *     },
 *   },
 * });
 */
export class ApplicationSet extends Construct {
  /** The Kubernetes object. */
  public readonly apiObject: ApiObject;

  /** @throws InvalidInput where a field is missing or wrong, or settings contradict each other */
  public constructor(scope: Construct, id: string, props: ApplicationSetProps) {
    refuseOptions(`ApplicationSet "${id}"`, props, applicationSetPropsKeys);
    super(scope, id);
    const problems = new Problems(`ApplicationSet "${props.name}"`);
    check(problems, props);
    problems.throwIfAny();
    const { goTemplate = true, template, strategy } = props;
    this.apiObject = argoObject(this, 'ApplicationSet', props, {
      goTemplate,
      goTemplateOptions: goTemplate ? (props.goTemplateOptions ?? ['missingkey=error']) : undefined,
      generators: props.generators.map((each) => generatorManifest(each, template)),
      template: {
        metadata: template.metadata,
        spec: applicationSpecManifest(specForStrategy(template.spec, strategy)),
      },
      templatePatch: props.templatePatch,
      syncPolicy: props.syncPolicy,
      preservedFields: props.preservedFields,
      ignoreApplicationDifferences: props.ignoreApplicationDifferences,
      strategy: strategy && strategyManifest(strategy),
    });
  }
}

function check(problems: Problems, props: ApplicationSetProps): void {
  const { goTemplate = true } = props;
  checkArgoObject(new FieldChecks(problems), props);
  const checks = new FieldChecks(problems, 'deployment or controller');
  if (props.generators.length === 0) {
    problems.add('generators', props.generators, 'a list with at least one generator');
  }
  props.generators.forEach((generator, position) => {
    checkGenerator(checks, `generators[${position}]`, generator, props);
  });
  checkTemplates(problems, props);
  if (!goTemplate) {
    for (const field of ['templatePatch', 'goTemplateOptions'] as const) {
      if (props[field] !== undefined) {
        problems.add(field, props[field], 'left out: "goTemplate" is off');
      }
    }
  }
  checks.optional('templatePatch', props.templatePatch, nonEmptyText);
  checks.each(
    'goTemplateOptions',
    props.goTemplateOptions,
    // https://pkg.go.dev/text/template#Template.Option
    oneOf('missingkey=error', 'missingkey=zero', 'missingkey=default', 'missingkey=invalid'),
  );
  checks.optional(
    'syncPolicy.applicationsSync',
    props.syncPolicy?.applicationsSync,
    oneOf('create-only', 'create-update', 'create-delete', 'sync'),
  );
  checkPreservation(problems, props);
  checks.each('preservedFields.labels', props.preservedFields?.labels, labelKey);
  checks.each('preservedFields.annotations', props.preservedFields?.annotations, labelKey);
  props.ignoreApplicationDifferences?.forEach((each, position) => {
    const at = `ignoreApplicationDifferences[${position}]`;
    checks.optional(`${at}.name`, each.name, dnsSubdomain);
    checks.each(`${at}.jsonPointers`, each.jsonPointers, jsonPointer);
    checks.each(`${at}.jqPathExpressions`, each.jqPathExpressions, nonEmptyText);
    if (!each.jsonPointers?.length && !each.jqPathExpressions?.length) {
      problems.add(at, each, 'an object with "jsonPointers" or "jqPathExpressions"');
    }
  });
}

/** A finalizer that deletes what was deployed, and a policy that keeps it, do not go together. */
function checkPreservation(problems: Problems, { syncPolicy, template }: ApplicationSetProps): void {
  if (!syncPolicy?.preserveResourcesOnDeletion) {
    return;
  }
  template.metadata.finalizers?.forEach((finalizer, position) => {
    if (finalizer.startsWith('resources-finalizer.argocd.argoproj.io')) {
      problems.add(
        `template.metadata.finalizers[${position}]`,
        finalizer,
        'left out: "syncPolicy.preserveResourcesOnDeletion" keeps what this finalizer deletes',
      );
    }
  });
}
