export {
  checkEnvironment,
  containerCommand,
  imageByDigest,
  secretKey,
  variableName,
} from './container-rules';
export { InvalidInput, describe, errorLine } from './invalid-input';
export type { Problem, ProblemKind } from './invalid-input';
export { isUnknownKey, knownKeys, unknownKey } from './known-keys';
export { checkLabels } from './labels';
export { laterValue } from './later-value';
export { isMapping } from './mapping';
export type { Untyped } from './mapping';
export { nearKey } from './near-key';
export { networkCidr } from './network-cidr';
export { oneLine, plainJson, plainLines } from './one-line';
export { byKind, listOf, mapOf, optionKeyProblems, refuseOptions, textOr } from './option-keys';
export type { Option, OptionKeys, OptionsOf } from './option-keys';
export { Problems } from './problems';
export { readText } from './read-text';
export {
  dnsLabel,
  dnsLabelUpTo,
  dnsSubdomain,
  dnsSubdomainUpTo,
  labelKey,
  labelValue,
  oneOf,
  port,
  wholeNumber,
} from './rules';
export type { Rule } from './rules';
export { holdsLogin, plainSecrets } from './plain-secrets';
export { namesSecret } from './secret-names';
export { proxyUrl, someText, textRule } from './text-rules';
export { timeZone } from './time-zone';
