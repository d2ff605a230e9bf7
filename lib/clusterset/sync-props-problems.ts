import type { Rule } from '../problems';
import {
  containerCommand,
  dnsLabel,
  dnsSubdomain,
  imageByDigest,
  labelKey,
  labelValue,
  Problems,
  wholeNumber,
} from '../problems';
import { clusterSetProblems } from './cluster-set-problems';
import type { ClusterSetSyncProps } from './cluster-set-sync-props';

/** A CronJob's name has at most 52 characters; the ConfigMap's ends in a hash of eight and a dash. */
const longestName = 43;

const shortName: Rule = {
  allowed: dnsLabel.allowed.replace('63', String(longestName)),
  accepts: (value) => dnsLabel.accepts(value) && (value as string).length <= longestName,
};

const cronFields: Rule = {
  allowed: 'five fields of cron, such as "*/5 * * * *"',
  accepts: (value) => typeof value === 'string' && /^[\d*/,-]+( [\dA-Za-z*/,?-]+){4}$/.test(value),
};

const variable: Rule = {
  allowed: 'letters, digits and "_", no digit first',
  accepts: (value) => typeof value === 'string' && /^[A-Za-z_]\w*$/.test(value),
};

/**
 * Checks the props of a `ClusterSetSync`.
 *
 * @throws InvalidInput with everything that is wrong
 */
export function checkSyncProps(props: ClusterSetSyncProps): void {
  const problems = new Problems(`ClusterSetSync "${props.name}"`);
  problems.check('name', props.name, shortName);
  problems.check('image', props.image, imageByDigest);
  const optional: readonly [keyof ClusterSetSyncProps, Rule][] = [
    ['namespace', dnsLabel],
    ['command', containerCommand],
    ['schedule', cronFields],
    ['serviceAccountName', dnsSubdomain],
    ['user', wholeNumber(1, 2_147_483_647)],
  ];
  for (const [key, rule] of optional) {
    if (props[key] !== undefined) {
      problems.check(key, props[key], rule);
    }
  }
  for (const [name, value] of Object.entries(props.env ?? {})) {
    problems.check('env', name, variable);
    if (typeof value !== 'string') {
      problems.addSecret(`env.${name}`, 'a text');
    }
  }
  for (const [key, value] of Object.entries(props.labels ?? {})) {
    problems.check('labels', key, labelKey);
    problems.check(`labels.${key}`, value, labelValue);
  }
  problems.addAll(
    clusterSetProblems(props.set).map(({ steps: _steps, ...problem }) => problem),
    'set',
  );
  problems.throwIfAny();
}
