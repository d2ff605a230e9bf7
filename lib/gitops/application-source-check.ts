import { dnsLabel, someText } from '../problems';
import type { ApplicationSource } from './application-source';
import { helmReleaseName } from './argo-rules';
import type { FieldChecks } from './field-checks';
import type { HelmOptions } from './helm-options';
import type { KustomizeOptions } from './kustomize-options';
import { checkRepositoryUrl } from './repository-url';
import type { SourcePlugin } from './source-plugin';

/**
 * Checks the sources of an Application by Argo CD's own rules: a path or a chart (or, among several, a `ref`),
 * a version for a chart, one tool a source.
 * @see https://github.com/argoproj/argo-cd/blob/37ee0097cf851bc2dd7665fc081bbce61a7e836e/util/argo/argo.go
 *
 * @param several whether the source stands among others
 * @param applicationName what a Helm release without a name of its own is named after
 */
export function checkApplicationSource(
  checks: FieldChecks,
  path: string,
  source: ApplicationSource,
  several: boolean,
  applicationName: string,
): void {
  checkRepositoryUrl(checks, `${path}.repoURL`, source.repoURL);
  checkKind(checks, path, source, several);
  checks.optional(`${path}.targetRevision`, source.targetRevision, someText);
  checks.optional(`${path}.ref`, source.ref, someText);
  checkTools(checks, path, source);
  if (source.helm || source.chart !== undefined) {
    checkHelm(checks, `${path}.helm`, source.helm ?? {}, applicationName);
  }
  if (source.kustomize) {
    checkKustomize(checks, `${path}.kustomize`, source.kustomize);
  }
  checkPlugin(checks, `${path}.plugin`, source.plugin ?? {});
}

function checkKind(checks: FieldChecks, path: string, source: ApplicationSource, several: boolean): void {
  if (source.path === undefined && source.chart === undefined && several) {
    checks.required(`${path}.ref`, source.ref, someText);
    return;
  }
  if (!checks.exactlyOne(path, source, ['path', 'chart'])) {
    return;
  }
  if (source.chart === undefined) {
    checks.required(`${path}.path`, source.path, someText);
    return;
  }
  checks.required(`${path}.chart`, source.chart, someText);
  checks.required(`${path}.targetRevision`, source.targetRevision, someText);
  for (const field of ['ref', 'directory', 'kustomize', 'plugin'] as const) {
    const given: unknown = source[field];
    if (given !== undefined) {
      checks.problems.add(`${path}.${field}`, given, 'left out: the source is a chart of a Helm repository');
    }
  }
}

function checkTools(checks: FieldChecks, path: string, source: ApplicationSource): void {
  const tools = ['directory', 'kustomize', 'helm', 'plugin'] as const;
  const given = tools.filter((tool) => source[tool] !== undefined);
  if (given.length > 1) {
    checks.problems.add(path, given, `at most one of ${tools.map((tool) => `"${tool}"`).join(', ')}`);
  }
}

function checkHelm(checks: FieldChecks, path: string, helm: HelmOptions, applicationName: string): void {
  if ((helm as { values?: unknown }).values !== undefined) {
    checks.problems.addSecret(`${path}.values`, 'left out: give the values as data in "valuesObject"');
  }
  if (helm.releaseName === undefined) {
    if (!checks.isOpen(applicationName) && applicationName.length > 53) {
      checks.problems.add(
        `${path}.releaseName`,
        undefined,
        'given, at most 53 characters: the name of the Application is too long for a Helm release',
      );
    }
  } else {
    checks.required(`${path}.releaseName`, helm.releaseName, helmReleaseName);
  }
  checks.withoutNull(`${path}.valuesObject`, helm.valuesObject);
  checks.each(`${path}.valueFiles`, helm.valueFiles, someText);
  checks.optional(`${path}.namespace`, helm.namespace, dnsLabel);
  helm.parameters?.forEach((parameter, position) => {
    checks.required(`${path}.parameters[${position}].name`, parameter.name, someText);
  });
  helm.fileParameters?.forEach((parameter, position) => {
    checks.required(`${path}.fileParameters[${position}].name`, parameter.name, someText);
    checks.required(`${path}.fileParameters[${position}].path`, parameter.path, someText);
  });
}

function checkKustomize(checks: FieldChecks, path: string, kustomize: KustomizeOptions): void {
  checks.optional(`${path}.namespace`, kustomize.namespace, dnsLabel);
  checks.each(`${path}.images`, kustomize.images, someText);
  checks.labels(`${path}.commonLabels`, kustomize.commonLabels);
  checks.annotations(`${path}.commonAnnotations`, kustomize.commonAnnotations);
  kustomize.patches?.forEach((patch, position) => {
    checks.exactlyOne(`${path}.patches[${position}]`, patch, ['patch', 'path']);
  });
}

function checkPlugin(checks: FieldChecks, path: string, { name, env, parameters }: SourcePlugin): void {
  checks.optional(`${path}.name`, name, someText);
  env?.forEach((variable, position) =>
    checks.required(`${path}.env[${position}].name`, variable.name, someText),
  );
  parameters?.forEach((parameter, position) => {
    checks.required(`${path}.parameters[${position}].name`, parameter.name, someText);
    checks.exactlyOne(`${path}.parameters[${position}]`, parameter, ['string', 'array', 'map']);
  });
}
