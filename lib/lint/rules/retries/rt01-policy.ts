import type * as Re2 from 're2js';
import type { ObjectIndex } from '../../object-index';
import type { RawFinding, Rule } from '../../rule';
import { retryStrategies } from '../../views/retry-strategies';
import type { RetryStrategyView } from '../../views/retry-strategies';
import { workloads } from '../../views/workloads';

/** @see https://argo-workflows.readthedocs.io/en/latest/retries/ */
export const rt01: Rule = {
  id: 'RT01',
  severity: 'warning',
  title: 'A retry that does not cover refused pods',
  why: 'a pod that the API server refuses, by a webhook for example, ends its step with Error: the default policy OnFailure does not try that again',
  fix: 'set retryPolicy to Always, or to OnError where only that may be tried again',
  *check({ objects }) {
    for (const strategy of objects.view(retryStrategies)) {
      if (strategy.makesPods) {
        yield* evaluate(objects, strategy);
      }
    }
  },
};

function* evaluate(
  objects: ObjectIndex,
  { object, name, policy, get }: RetryStrategyView,
): Iterable<RawFinding> {
  const said = get('retryPolicy');
  const { pointer } = said;
  if (policy === 'OnTransientError') {
    const pattern = transientPattern(objects);
    if (pattern === 'unknown') {
      yield {
        object,
        pointer,
        severity: 'info',
        message: `${name}: OnTransientError covers refused pods only with a TRANSIENT_ERROR_PATTERN of the workflow controller, which is not among the manifests`,
      };
    } else if (pattern !== undefined && pattern.length > longestPattern) {
      yield {
        object,
        pointer,
        severity: 'info',
        message: `${name}: OnTransientError, and TRANSIENT_ERROR_PATTERN of the workflow controller has more than ${longestPattern} characters, which is not checked`,
      };
    } else if (!covers(pattern)) {
      yield {
        object,
        pointer,
        message: `${name}: OnTransientError, and TRANSIENT_ERROR_PATTERN of the workflow controller ${pattern === undefined ? 'is not set' : 'does not match a failed webhook'}`,
      };
    }
    return;
  }
  if (policy !== 'Always' && policy !== 'OnError') {
    yield {
      object,
      pointer,
      message: `${name}: retryPolicy is ${said.exists ? policy : `unset, which is ${policy}`}`,
    };
  } else if (/\bstatus\s*!=\s*["']Error["']/.test(get('expression').text ?? '')) {
    yield { object, pointer: get('expression').pointer, message: `${name}: its expression leaves out Error` };
  }
}

/** What API servers answer when they can't verify a webhook. */
const refusal =
  'Internal error occurred: failed calling webhook "pods.example.com": failed to call webhook: Post "https://gate.gate-system.svc:443/?timeout=3s": tls: failed to verify certificate: x509: certificate signed by unknown authority';

/** Patterns that somebody has written have tens of characters. */
const longestPattern = 1_000;

/**
 * The controller's own engine is Go's, which takes a time in proportion to pattern times text. So does this one, which
 * reads the same language; the one of JavaScript could be kept busy for ever. A pattern that Go can't read matches nothing.
 *
 * @see https://github.com/argoproj/argo-workflows/blob/main/util/errors/errors.go
 */
function covers(pattern: string | undefined): boolean {
  if (pattern === undefined || pattern === '') {
    return false;
  }
  // Few lints come here: the others are spared the loading.
  const { RE2JS, RE2JSException } = require('re2js') as typeof Re2;
  try {
    return RE2JS.compile(pattern).test(refusal);
  } catch (error) {
    if (error instanceof RE2JSException) {
      return false;
    }
    throw error;
  }
}

/** @see https://argo-workflows.readthedocs.io/en/latest/environment-variables/ */
function transientPattern(objects: ObjectIndex): string | undefined {
  const controllers = objects
    .view(workloads)
    .all.flatMap(({ containers }) => containers)
    .filter(({ field }) => /\/workflow-controller(?:[:@]|$)/.test(`/${field.get('image').text ?? ''}`));
  if (controllers.length === 0) {
    return 'unknown';
  }
  const variables = controllers.flatMap(({ field }) => field.get('env').items);
  return variables.find((each) => each.get('name').text === 'TRANSIENT_ERROR_PATTERN')?.get('value').text;
}
