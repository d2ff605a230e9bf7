/** Go's own. @see https://github.com/golang/go/blob/go1.25.0/src/text/template/funcs.go */
const builtins = 'and call html index slice js len not or print printf println urlquery eq ge gt le lt ne';

/**
 * Argo CD's own; `tpl` since 3.6.
 * @see https://github.com/argoproj/argo-cd/blob/v3.6.1/applicationset/utils/utils.go
 */
const argoCd = 'normalize slugify toYaml fromYaml fromYamlArray tpl';

/** Sprig's, without those that {@link removedFunctions} has. @see https://github.com/Masterminds/sprig/blob/v3.3.0/functions.go */
const sprig = [
  'hello ago date date_in_zone date_modify dateInZone dateModify duration durationRound htmlDate',
  'htmlDateInZone must_date_modify mustDateModify mustToDate now toDate unixEpoch abbrev abbrevboth',
  'trunc trim upper lower title untitle substr repeat trimall trimAll trimSuffix trimPrefix nospace',
  'initials randAlphaNum randAlpha randAscii randNumeric swapcase shuffle snakecase camelcase kebabcase',
  'wrap wrapWith contains hasPrefix hasSuffix quote squote cat indent nindent replace plural sha1sum',
  'sha256sum sha512sum adler32sum toString atoi int64 int float64 seq toDecimal split splitList splitn',
  'toStrings until untilStep add1 add sub div mod mul randInt add1f addf subf divf mulf biggest max min',
  'maxf minf ceil floor round join sortAlpha default empty coalesce all any compact mustCompact',
  'fromJson toJson toPrettyJson toRawJson mustFromJson mustToJson mustToPrettyJson mustToRawJson',
  'ternary deepCopy mustDeepCopy typeOf typeIs typeIsLike kindOf kindIs deepEqual base dir clean ext',
  'isAbs osBase osClean osDir osExt osIsAbs b64enc b64dec b32enc b32dec tuple list dict get set unset',
  'hasKey pluck keys pick omit merge mergeOverwrite mustMerge mustMergeOverwrite values append push',
  'mustAppend mustPush prepend mustPrepend first mustFirst rest mustRest last mustLast initial',
  'mustInitial reverse mustReverse uniq mustUniq without mustWithout has mustHas slice mustSlice concat',
  'dig chunk mustChunk bcrypt htpasswd genPrivateKey derivePassword buildCustomCert genCA genCAWithKey',
  'genSelfSignedCert genSelfSignedCertWithKey genSignedCert genSignedCertWithKey encryptAES decryptAES',
  'randBytes uuidv4 semver semverCompare fail regexMatch mustRegexMatch regexFindAll mustRegexFindAll',
  'regexFind mustRegexFind regexReplaceAll mustRegexReplaceAll regexReplaceAllLiteral',
  'mustRegexReplaceAllLiteral regexSplit mustRegexSplit regexQuoteMeta urlParse urlJoin',
];

/** The functions that templates of an ApplicationSet have. */
export const templateFunctions: ReadonlySet<string> = new Set(
  [builtins, argoCd, ...sprig].flatMap((names) => names.split(' ')),
);

/** Functions of Sprig that Argo CD takes away, since they show what a template must not see. */
export const removedFunctions: ReadonlySet<string> = new Set(['env', 'expandenv', 'getHostByName']);

/** Functions that can be called without an argument; Go refuses a call of another one that has none. */
export const withoutArguments: ReadonlySet<string> = new Set([
  ...['hello', 'now', 'uuidv4', 'list', 'tuple', 'dict', 'dig', 'print', 'println', 'html', 'js', 'urlquery'],
  ...['add', 'addf', 'all', 'any', 'cat', 'coalesce', 'concat', 'keys', 'quote', 'seq', 'slugify', 'squote'],
]);
