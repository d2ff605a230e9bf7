export { aliasProblem } from './alias-expansion';
export { firstProblems, moreProblems } from './first-problems';
export { deepestYaml, longestYaml, plainValue, readYaml } from './read-yaml';
export type { YamlProblem, YamlReading } from './read-yaml';
export { checkLength, pairOf } from './settings-text';
