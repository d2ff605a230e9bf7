import { apiLifecycle, minorVersion } from './api-lifecycles';
import { componentApi } from './component-apis';
import type { ReadinessFinding, ReadinessObject } from './report';

/** What is said of an API that goes or is gone, without the object that uses it. */
export type ApiVerdict = Pick<ReadinessFinding, 'id' | 'severity' | 'message' | 'fix'>;

/** Why each of the findings hurts. */
export const whyOfApis = {
  API01:
    'the API server refuses the object: it can neither be created nor changed in a cluster of that version',
  API02: 'a later version of Kubernetes does not serve it any more',
  API04: 'the definitions of newer releases do not serve this version: the object is refused',
} as const;

/**
 * Whether a version of Kubernetes serves what an object says it is.
 *
 * @param to `1.36`
 * @returns nothing for what is served and not deprecated, and for what is no built-in API
 */
export function apiVerdict(
  { apiVersion, kind }: Pick<ReadinessObject, 'apiVersion' | 'kind'>,
  to: string,
): ApiVerdict | undefined {
  const lifecycle = apiLifecycle(apiVersion, kind);
  if (lifecycle === undefined) {
    return componentVerdict(apiVersion, kind);
  }
  const minor = minorVersion(to) ?? 0;
  const { replacement, deprecated = Infinity, removed = Infinity } = lifecycle;
  const what = `${kind} of ${apiVersion}`;
  const fix =
    replacement === undefined
      ? 'nothing takes its place: do without it, or see the release notes of Kubernetes'
      : `use ${replacement.apiVersion}${replacement.kind === kind ? '' : ` ${replacement.kind}`}, whose fields may differ`;
  if (removed <= minor) {
    return {
      id: 'API01',
      severity: 'error',
      message: `${what} is not served any more since Kubernetes 1.${removed}`,
      fix,
    };
  }
  // A removal that types only plan for a version in which it is not even deprecated is no finding yet.
  return deprecated <= minor
    ? {
        id: 'API02',
        severity: removed === Infinity ? 'info' : 'warning',
        message: `${what} is deprecated since Kubernetes 1.${deprecated}${removed === Infinity ? '' : `, and not served any more from 1.${removed} on`}`,
        fix,
      }
    : undefined;
}

/** What is said of the APIs of other projects, whose release decides and not that of Kubernetes: never an error. */
function componentVerdict(apiVersion: string, kind: string): ApiVerdict | undefined {
  const gone = componentApi(apiVersion, kind);
  return (
    gone && {
      id: 'API04',
      severity: 'warning',
      message: `${kind} of ${apiVersion} is not served any more since ${gone.component} ${gone.removed}`,
      fix: `use ${gone.replacement}, whose fields may differ`,
    }
  );
}

/**
 * The same for one object, as a finding.
 *
 * @param seenIn where it was seen: `live`, `Helm release podinfo`
 */
export function judgeApi(object: ReadinessObject, to: string, seenIn?: string): ReadinessFinding | undefined {
  const verdict = apiVerdict(object, to);
  return (
    verdict && {
      ...verdict,
      why: whyOfApis[verdict.id as keyof typeof whyOfApis],
      object,
      ...(seenIn === undefined ? {} : { seenIn }),
    }
  );
}
