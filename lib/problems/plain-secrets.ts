import { namesSecret } from './secret-names';

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
