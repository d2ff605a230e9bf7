export { oneLine, plainJson, plainLines } from '../printable-text';
export {
  containerCommand,
  dnsLabel,
  dnsLabelUpTo,
  dnsSubdomain,
  dnsSubdomainUpTo,
  imageByDigest,
  labelKey,
  labelValue,
  networkCidr,
  oneOfWords,
  port,
  proxyUrl,
  secretKey,
  nonEmptyText,
  textRule,
  timeZone,
  variableName,
  wholeNumber,
} from './formats';
export { nearKey } from './near-key';
export {
  InvalidInput,
  Problems,
  formatProblem,
  errorLine,
  isPlainObject,
  laterValue,
  readText,
} from './problems';
export type { Problem, ProblemKind, Format, PlainObject } from './problems';
export { holdsLogin, namesSecret, plainSecrets } from './secrets';
