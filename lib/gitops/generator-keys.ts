import type { Option, OptionKeys } from '../problems';
import { byKind, listOf } from '../problems';
import { anyGeneratorKeys } from './any-generator';
import { clusterDecisionResourceOptionsKeys, pluginOptionsKeys } from './asking-generators';
import type { Generator } from './generator';
import { clustersOptionsKeys, gitOptionsKeys, listOptionsKeys } from './generator';
import { pullRequestOptionsKeys } from './pull-request';
import { scmProviderOptionsKeys } from './scm-provider';

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
export const generatorKeys: ReturnType<typeof byKind> = byKind(kinds);
