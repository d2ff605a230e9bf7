import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { withoutNamespace } from '../../admission';
import { metadataOf } from '../object-metadata';
import type { AnalysisArguments } from './analysis-arguments';
import { argumentManifest, checkAnalysisArguments } from './analysis-arguments';
import type { Analysis } from './analysis';
import type { AnalysisTemplateProps, ClusterAnalysisTemplateProps } from './template-props';
import { analysisTemplatePropsKeys, clusterAnalysisTemplatePropsKeys } from './template-props';
import type { TemplateSpec } from './template-spec';
import { templateSpec } from './template-spec';
import { Problems, refuseOptions } from '../../problems';

/** What both kinds of templates have in common. */
abstract class Template extends Construct {
  /** The Kubernetes object. */
  public readonly apiObject: ApiObject;
  private readonly made: TemplateSpec;

  protected constructor(
    scope: Construct,
    id: string,
    private readonly kind: 'AnalysisTemplate' | 'ClusterAnalysisTemplate',
    private readonly props: AnalysisTemplateProps,
  ) {
    super(scope, id);
    this.made = templateSpec(`${kind} "${props.name}"`, props);
    this.apiObject = new ApiObject(this, 'Resource', {
      apiVersion: 'argoproj.io/v1alpha1',
      kind,
      metadata: metadataOf(props),
      spec: this.made.spec,
    });
    if (kind === 'ClusterAnalysisTemplate') {
      withoutNamespace(this.apiObject);
    }
  }

  /**
   * An analysis by this template, for a Rollout.
   *
   * @param given values of the queries' variables. `slot` is by default the hash of the new pods, so that a query judges
   *   the new version alone
   * @throws InvalidInput where a variable has no value, or there is none of that name
   */
  public analysis(given: AnalysisArguments = {}): Analysis {
    const { asked, preset } = this.made;
    const problems = new Problems(`analysis by ${this.kind} "${this.props.name}"`);
    checkAnalysisArguments(problems, 'arguments', given);
    const values: AnalysisArguments = {
      ...(asked.includes('slot') && !preset.includes('slot') && { slot: { podTemplateHash: 'Latest' } }),
      ...given,
    };
    for (const name of Object.keys(given).filter((each) => !asked.includes(each))) {
      const allowed = asked.length > 0 ? `there are: ${asked.join(', ')}` : 'the template has no variable';
      problems.add(`arguments.${name}`, given[name], `left out; ${allowed}`);
    }
    for (const name of asked.filter((each) => !(each in values) && !preset.includes(each))) {
      problems.add(`arguments.${name}`, undefined, `given, here or in the template's "values"`);
    }
    problems.throwIfAny();
    return {
      templates: [
        {
          templateName: this.props.name,
          ...(this.kind === 'ClusterAnalysisTemplate' && { clusterScope: true }),
        },
      ],
      until: this.props.until ?? 'answered',
      args: Object.entries(values).map(([name, value]) => argumentManifest(name, value)),
    };
  }
}

/**
 * An AnalysisTemplate of Argo Rollouts whose metrics are checks of a cluster's shift: a metric means the same for an
 * application and for a cluster.
 *
 * @see https://argo-rollouts.readthedocs.io/en/stable/features/analysis/
 *
 * @example
 * const errors = checks.prometheus.errorShare({ address, requests, errors: failed, max: 0.02 });
 * const template = new progressive.AnalysisTemplate(chart, 'errors', { name: 'errors', metrics: [{ check: errors }] });
 * const steps = [{ setWeight: 10 }, { analysis: template.analysis() }];
 */
export class AnalysisTemplate extends Template {
  /** @throws InvalidInput with everything that is wrong */
  public constructor(scope: Construct, id: string, props: AnalysisTemplateProps) {
    refuseOptions(`AnalysisTemplate "${id}"`, props, analysisTemplatePropsKeys);
    super(scope, id, 'AnalysisTemplate', props);
  }
}

/** The same for the Rollouts of all namespaces. Secrets are read beside each Rollout. */
export class ClusterAnalysisTemplate extends Template {
  /** @throws InvalidInput with everything that is wrong */
  public constructor(scope: Construct, id: string, props: ClusterAnalysisTemplateProps) {
    refuseOptions(`ClusterAnalysisTemplate "${id}"`, props, clusterAnalysisTemplatePropsKeys);
    super(scope, id, 'ClusterAnalysisTemplate', props);
  }
}
