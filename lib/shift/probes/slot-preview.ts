import { across, either, object, oneKeyOf, optional, record } from '../../core/validation/collections';
import { isPlainObject } from '../../core/validation/problems';
import type { Schema } from '../../core/validation/schema';
import { secret, text, that } from '../../core/validation/values';
import type { PreviewValue, SlotPreview } from '../engine';

const urlAllowed = 'a URL, http or https, without a login, a query or a fragment: https://www.example.com';

/** The address of a slot. */
export const previewAddress = that(
  text(urlAllowed, /^https?:\/\/[^/@?#\\\s]+(\/[!"$->@-[\]-~]*)?$/, 2_048),
  urlAllowed,
  (value) => URL.canParse(value),
);

/** Headers of the connection and of the body: a client sets them itself. */
const ofClient =
  /^(host|connection|content-length|expect|keep-alive|te|trailer|transfer-encoding|upgrade|proxy-connection)$/i;

const headerAllowed =
  'the name of a header, at most 40 characters; none that a client sets itself: Host stands in url';

/**
 * A "*" is no wildcard there.
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_HttpHeaderConditionConfig.html
 */
const headerName = that(
  text(headerAllowed, /^[A-Za-z0-9!#$%&'+.^_`|~-]{1,40}$/),
  headerAllowed,
  (name) => !ofClient.test(name),
);

const valueAllowed =
  'visible ASCII characters, or where a secret is read from: { env: "NAME" } or { file: "/path" }';

/** A value of a header; nothing of it is shown, since a secret may stand there. */
const headerValue: Schema<PreviewValue> = secret(
  either<PreviewValue>(
    valueAllowed,
    {
      when: (value) => typeof value === 'string',
      schema: text(valueAllowed, /^[!-~]([ -~]{0,4094}[!-~])?$/),
    },
    {
      when: () => true,
      schema: oneKeyOf<{ readonly env: string; readonly file: string }>(
        {
          env: text('the name of an environment variable', /^[A-Za-z_][A-Za-z0-9_]*$/),
          file: text('the path of a file', /^[^\n\r\0]*[^\s\0][^\n\r\0]*$/),
        },
        valueAllowed,
      ),
    },
  ),
);

/** Headers of requests to a slot, by name. */
export const requestHeaders = that(
  record(headerValue, headerName, 'headers by name'),
  'at least one header, or left out',
  (headers) => Object.keys(headers).length > 0,
  { minProperties: 1 },
);

/** What leads to one slot past the weights. */
export const slotPreview: Schema<SlotPreview> = across(
  object<SlotPreview>({
    url: previewAddress,
    headers: optional(requestHeaders),
  }),
  ({ headers }, { mustBeSecretly }) => {
    const names = isPlainObject(headers) ? Object.keys(headers) : [];
    names.forEach((name, index) => {
      const other = names.findIndex((each) => each.toLowerCase() === name.toLowerCase());
      if (other < index) {
        mustBeSecretly(['headers', name], `given once: ${names[other]} is the same header`);
      }
    });
  },
);

/**
 * Slots whose preview another slot has already: what is sent by it can't reach both. Values that are read from the same variable
 * or file are the same.
 *
 * @param slots previews by slot, whatever they are
 * @returns each such slot, with the first that has it
 */
export function samePreviews(slots: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> {
  const first = new Map<string, string>();
  const same = new Map<string, string>();
  for (const [slot, preview] of Object.entries(slots)) {
    const key = placeOf(preview);
    const other = key === undefined ? undefined : first.get(key);
    if (other !== undefined) {
      same.set(slot, other);
    } else if (key !== undefined) {
      first.set(key, slot);
    }
  }
  return same;
}

function placeOf(preview: unknown): string | undefined {
  if (!isPlainObject(preview) || typeof preview.url !== 'string' || !URL.canParse(preview.url)) {
    return undefined;
  }
  const headers = Object.entries(isPlainObject(preview.headers) ? preview.headers : {})
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([new URL(preview.url).href.replace(/\/+$/, ''), headers]);
}
