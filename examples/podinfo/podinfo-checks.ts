import { prometheus } from 'cluster-canary/checks';

const address = 'http://prometheus.monitoring:9090';

/**
 * Pods of a version: with Flagger, `{{slot}}` is the name of the Deployment (the released pods have `-primary` in theirs); with
 * Argo Rollouts it is the hash in the pods' names.
 */
const pods = 'namespace="podinfo",pod=~"(.+-)?{{slot}}(-[0-9a-z]+){1,2}"';
const count = 'http_request_duration_seconds_count';

/** What a good version is, in the words of a cluster's shift; Flagger and Argo Rollouts get the same. */
export const errors = prometheus.errorShare({
  name: 'errors',
  address,
  requests: `sum(increase(${count}{${pods}}[{{period}}]))`,
  errors: `sum(increase(${count}{${pods},status=~"5.."}[{{period}}]))`,
  max: 0.01,
  over: '2m',
});

/** Requests that took longer than half a second. */
export const slow = prometheus.slowShare({
  name: 'slow',
  address,
  requests: `sum(increase(${count}{${pods}}[{{period}}]))`,
  slow:
    `sum(increase(${count}{${pods}}[{{period}}])) - ` +
    `sum(increase(http_request_duration_seconds_bucket{${pods},le="0.5"}[{{period}}]))`,
  max: 0.05,
  over: '2m',
});
