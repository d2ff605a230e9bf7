import { arnParts } from '../aws';
import { parseDuration } from '../durations';
import type { ClusterSet, ClusterSetAccount, ClusterSetSettings, Place } from './cluster-set';

/** A set that was checked, with every default filled in. */
export function settingsOf(set: ClusterSet): ClusterSetSettings {
  const { metadata, spec } = withoutNull(set) as ClusterSet;
  const { selector, template, deletion = {} } = spec;
  const accounts = spec.accounts ?? [selector.roleARN === undefined ? {} : { roleArn: selector.roleARN }];
  const config = template.config ?? template.metadata?.config;
  return {
    name: metadata.name,
    namespace: metadata.namespace ?? 'argocd',
    selector,
    template: { ...template, ...(config === undefined ? {} : { config }) },
    places: accounts.flatMap(placesOf),
    adopt: spec.adopt ?? false,
    gracePeriod: parseDuration(deletion.gracePeriod ?? '15m')!,
    maxShare: deletion.maxShare ?? 30,
    concurrency: spec.concurrency ?? 10,
    interval: parseDuration(spec.interval ?? '1m')!,
  };
}

/** A key of YAML without a value is null, and means that it was left out. */
function withoutNull(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(withoutNull);
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  const entries = Object.entries(value).filter(([, each]) => each !== null);
  return Object.fromEntries(entries.map(([key, each]) => [key, withoutNull(each)]));
}

function placesOf({ regions, roleArn, account }: ClusterSetAccount): readonly Place[] {
  const known = account ?? (roleArn === undefined ? undefined : arnParts(roleArn)?.account);
  const common = {
    ...(roleArn === undefined ? {} : { roleArn }),
    ...(known === undefined ? {} : { account: known }),
  };
  return regions === undefined ? [common] : regions.map((region) => ({ ...common, region }));
}

/** For messages: `eu-west-1 by arn:aws:iam::123456789012:role/reader`. */
export function describePlace({ region, roleArn, account }: Place): string {
  const by = roleArn ?? (account === undefined ? undefined : `account ${account}`);
  return `${region ?? 'the default region'}${by === undefined ? '' : ` by ${by}`}`;
}
