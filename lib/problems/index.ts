export { containerCommand, imageByDigest } from './container-rules';
export { InvalidInput, describe } from './invalid-input';
export type { Problem } from './invalid-input';
export { networkCidr } from './network-cidr';
export { Problems } from './problems';
export { dnsLabel, dnsSubdomain, labelKey, labelValue, oneOf, port, wholeNumber } from './rules';
export type { Rule } from './rules';
export { isTimeZone } from './time-zone';
