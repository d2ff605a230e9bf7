import { judgedNamespace } from '../admission';
import type { Rule } from '../problems';
import {
  checkEnvironment,
  checkLabels,
  containerCommand,
  dnsLabelUpTo,
  dnsSubdomain,
  imageByDigest,
  Problems,
  wholeNumber,
} from '../problems';
import { clusterSetProblems } from './cluster-set-problems';
import type { ClusterSetSyncProps } from './cluster-set-sync-props';

/** A CronJob's name has at most 52 characters; the ConfigMap's ends in a hash of eight and a dash. */
const longestName = 43;

const cronFields: Rule = {
  allowed: 'five fields of cron, such as "*/5 * * * *"',
  accepts: (value) => typeof value === 'string' && /^[\d*/,-]+( [\dA-Za-z*/,?-]+){4}$/.test(value),
};

/**
 * Checks the props of a `ClusterSetSync`.
 *
 * @throws InvalidInput with everything that is wrong
 */
export function checkSyncProps(props: ClusterSetSyncProps): void {
  const problems = new Problems(`ClusterSetSync "${props.name}"`);
  problems.check('name', props.name, dnsLabelUpTo(longestName));
  problems.check('image', props.image, imageByDigest);
  problems.checkGiven('', props, {
    namespace: judgedNamespace,
    command: containerCommand,
    schedule: cronFields,
    serviceAccountName: dnsSubdomain,
    user: wholeNumber(1, 2_147_483_647),
  });
  checkEnvironment(problems, 'env', props.env);
  checkLabels(problems, 'labels', props.labels);
  problems.addAll(
    clusterSetProblems(props.set).map(({ steps: _steps, ...problem }) => problem),
    'set',
  );
  problems.throwIfAny();
}
