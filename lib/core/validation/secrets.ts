const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** Words that make what is named a secret, wherever they are in its name. */
const secretWords = setOf(
  'password passwd passwort passphrase passcode htpasswd secret token credential bearer jwt cookie authorization ' +
    'apikey accesskey secretkey privatekey signingkey bindpw rootpw dockerconfigjson dockercfg',
);

/** The same in a word that is written together: `dbpassword`. */
const secretEnding = /(password|passwd|passphrase|secret|token|apikey|accesskey|secretkey|privatekey)$/;

/** Words that do so as the last one. */
const secretLast = setOf('pass pw pwd pat auth cred');

/** Keys that are no secrets, by the word before: of public keys, of maps and tables, of objects. */
const openKeys = setOf(
  'public pub authorized host known kms label annotation topology sort partition primary foreign cache object s3 row ' +
    'lookup map index group dedup dedupe idempotency config translation id name email user username verified claim ' +
    'attribute',
);

/** Last words of names of something about a secret: where it is, what kind it is, for how long. */
const aboutSecrets = setOf(
  'name ref reference selector file filename path dir directory folder mount volume url uri endpoint address host domain ' +
    'port sock socket arn id audience issuer ttl expiry expiration expire lifetime age second minute duration timeout ' +
    'interval period length size count limit policy type kind mode method scheme format algorithm version revision status ' +
    'state enabled disabled required supported unsupported store manager provider backend engine class namespace label ' +
    'annotation prefix suffix header field attribute attr prompt connector review request scope rotation hint db',
);

/** First words of switches and amounts. */
const asked = setOf('enable disable use require skip allow is has no with without max min num total');

/** What a secret may be written as, or which of several it is. */
const forms = setOf(
  'pem der pfx p12 base64 b64 data content value json yaml text raw base prod production staging dev test old new current ' +
    'previous primary secondary default',
);

/**
 * Whether what has this name is likely to be a secret: a variable, an option, a header, a parameter. Names are taken apart
 * at their capitals, dashes, dots and underscores; `AWS_ACCESS_KEY_ID`, `dbPassword` and `x-api-key` name one, and
 * `secretName`, `publicKey` and `tokenUrl` do not.
 */
export function namesSecret(name: string): boolean {
  const words = wordsOf(name);
  while (words.length > 1 && forms.has(words.at(-1)!)) {
    words.pop();
  }
  const [first = '', last = '', before = '', beforeThat = ''] = [words[0], ...words.slice(-3).reverse()];
  const ofKey = last === 'id' && before === 'key' && beforeThat === 'access';
  if (ofKey || (last === 'id' && before === 'secret') || (last === 'string' && before === 'connection')) {
    return true;
  }
  if (aboutSecrets.has(last) || (words.length > 1 && asked.has(first)) || isOpen(last, before, beforeThat)) {
    return false;
  }
  return (
    words.some((word, index) => isSecretWord(word) || isSecretWord(`${words[index - 1] ?? ''}${word}`)) ||
    (secretLast.has(last) && !(last === 'pwd' && words.length === 1)) ||
    (last === 'key' && words.length > 1)
  );
}

/** Names of Secrets in manifests, marks of pages in lists, a path, keys that anybody may see. */
function isOpen(last: string, before: string, beforeThat: string): boolean {
  return (
    (last === 'key' && openKeys.has(before)) ||
    (last === 'secret' && ['existing', 'pull'].includes(before)) ||
    (last === 'token' && ['next', 'page', 'continue', 'continuation'].includes(before)) ||
    (last === 'credential' && before === 'application' && beforeThat === 'google')
  );
}

function isSecretWord(word: string): boolean {
  return secretWords.has(word) || secretEnding.test(word);
}

function wordsOf(name: string): string[] {
  return name
    .slice(0, longest)
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
    .map((word) => (forms.has(word) ? word : word.replace(/\d+$/, '')))
    .map(singular)
    .filter(Boolean);
}

/** Of words that mean something here alone: `status` is none of several. */
function singular(word: string): string {
  const one = word.slice(0, -1);
  const isKnown =
    one === 'key' || isSecretWord(one) || [secretLast, openKeys, aboutSecrets].some((set) => set.has(one));
  return word.endsWith('s') && isKnown ? one : word;
}

/** No name is longer; in characters. */
const longest = 300;

/** A token may stand in the place of a user's name, for servers that are asked by HTTP. */
const login = /https?:\/\/[^\s/?#@]+@|:\/\/[^\s/?#@:]*:[^\s/?#@]+@/i;

const parameter = /([?&])([\w.-]{1,100})=([^&#\s"]+)/g;

/** Whether a text has a URL with a login in it, or with a secret among its parameters. */
export function holdsLogin(text: string): boolean {
  return login.test(text) || [...text.matchAll(parameter)].some(([, , name]) => namesSecret(name!));
}

/** A text as it may be shown: whatever may be a login in a URL is left out, and so are parameters that are secrets. */
export function withoutLogins(text: string): string {
  return text
    .replace(/:\/\/[^\s"]*@/g, '://[secret]@')
    .replace(parameter, (found, sign: string, name: string) =>
      namesSecret(name) ? `${sign}${name}=[secret]` : found,
    );
}

/**
 * Places of a program's arguments that are secrets in plain text: `--token=…`, what follows `--password`, `DB_PASSWORD=…`, a
 * URL with a login.
 *
 * @param isReference whether a text only says where the secret is
 */
export function plainSecrets(
  args: readonly string[],
  isReference: (text: string) => boolean = () => false,
): number[] {
  return args.flatMap((argument, position) => {
    const [, option, value] = /^-{0,2}([\w.-]+)=([^]+)$/.exec(argument) ?? [];
    const [, before] = /^--?([\w.-]+)$/.exec(args[position - 1] ?? '') ?? [];
    const isNamed = option !== undefined && namesSecret(option) && !isReference(value!);
    const isNext = before !== undefined && namesSecret(before) && !argument.startsWith('-');
    return isNamed || (isNext && !isReference(argument)) || holdsLogin(argument) ? [position] : [];
  });
}
