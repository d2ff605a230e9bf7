/**
 * A value that is known when a notification is sent. `notificationField` makes one.
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/notifications/templates/
 */
export class NotificationField {
  /** @param expression a Go template's expression, in parentheses where it has several words */
  public constructor(public readonly expression: string) {}
}

/** A text with fields in it. `notificationText` makes one. */
export class NotificationText {
  /**
   * @param texts the literal texts, one more than there are fields
   * @param fields what stands between them
   */
  public constructor(
    public readonly texts: readonly string[],
    public readonly fields: readonly NotificationField[],
  ) {}
}

/** Any data for a JSON body, with fields and texts as its leaves. */
export type NotificationJson =
  | string
  | number
  | boolean
  | null
  | NotificationField
  | NotificationText
  | readonly NotificationJson[]
  | { readonly [key: string]: NotificationJson };

/** The maps that hold any depth; a field of another one is one key deep. */
const deep: readonly string[] = ['app', 'appProject'];

/**
 * A field of the Application or of its project by its path, and of the `context` or the `secrets`; or `recipient` or
 * `serviceType`. What is not there is an empty text, not an error: an Application that was never synchronised has no
 * `status.operationState`.
 *
 * @param path names joined by dots, or a list of names where one has dots in it
 *
 * @example
 * notificationField('app.status.operationState.message');
 * notificationField(['app', 'metadata', 'annotations', 'example.com/owner']);
 */
export function notificationField(path: string | readonly string[]): NotificationField {
  const [root = '', ...keys] = typeof path === 'string' ? path.split('.') : path;
  if (keys.length === 0) {
    return new NotificationField(`.${root}`);
  }
  return deep.includes(root)
    ? new NotificationField(`(dig ${keys.map(goText).join(' ')} "" .${root})`)
    : new NotificationField(`(index .${root} ${keys.map(goText).join(' ')} | toString)`);
}

/**
 * A text with fields in it, for messages and as a value in JSON.
 *
 * @example
 * notificationText`Sync of ${notificationField('app.metadata.name')} failed`;
 */
export function notificationText(
  texts: TemplateStringsArray | readonly string[],
  ...fields: readonly NotificationField[]
): NotificationText {
  return new NotificationText([...texts], fields);
}

/** A text as a Go template that writes it as it is. */
export function plainTemplate(text: string | NotificationText | NotificationField): string {
  if (text instanceof NotificationField) {
    return `{{ ${text.expression} }}`;
  }
  if (typeof text === 'string') {
    return literal(text);
  }
  return text.texts
    .map((each, position) => {
      const field = text.fields[position];
      return field ? `${literal(each)}{{ ${field.expression} }}` : literal(each);
    })
    .join('');
}

/**
 * Data as a Go template that writes JSON. Argo CD's templates escape nothing themselves, so an error message with quotes or a
 * line break would break the body, or write fields of its own into it. Here every field goes through Sprig's `toJson`.
 * @see https://github.com/argoproj/notifications-engine/blob/cf274d2e5cf0df418062fcd1b458ccf3468ef070/pkg/templates/service.go
 * @see https://masterminds.github.io/sprig/defaults.html
 */
export function jsonTemplate(value: NotificationJson): string {
  if (value instanceof NotificationField) {
    return `{{ ${value.expression} | toJson }}`;
  }
  if (value instanceof NotificationText) {
    const format = value.texts.map((text) => text.replaceAll('%', '%%')).join('%v');
    return `{{ printf ${[goText(format), ...value.fields.map(({ expression }) => expression)].join(' ')} | toJson }}`;
  }
  if (Array.isArray(value)) {
    return `[${(value as readonly NotificationJson[]).map(jsonTemplate).join(',')}]`;
  }
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value as Readonly<Record<string, NotificationJson>>);
    return `{${fields.map(([key, below]) => `${jsonTemplate(key)}:${jsonTemplate(below)}`).join(',')}}`;
  }
  return literal(JSON.stringify(typeof value === 'string' ? wellFormed(value) : value));
}

/** A text that a template writes as it is, though it may hold what begins an expression. */
function literal(text: string): string {
  return text.replace(/\{{2,}|\{$/g, (braces) => `{{ "${braces}" }}`);
}

/** A text in Go's syntax: that of JSON, but for halves of characters, which Go has not. */
function goText(text: string): string {
  return JSON.stringify(wellFormed(text));
}

function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\uFFFD');
}
