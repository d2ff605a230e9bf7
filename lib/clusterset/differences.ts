import type { OwnSecret } from './current-secret';
import type { DesiredSecret } from './desired-secret';

/** One field of a Secret that is not as it should be. Values are told of labels and of what is not long. */
export interface Change {
  /** `server`, `config`, `labels.env`, `annotations.note`, `missing since` */
  readonly field: string;
  /** Left out where it is long, or where there was nothing. */
  readonly from?: string;
  /** Left out where it is long, or where there is to be nothing. */
  readonly to?: string;
}

/** Fields whose values are long, or tell nobody anything. */
const untold = new Set(['config']);

/** What has to be written so that a Secret is as it should be; keys that others keep on it do not count. */
export function differences(desired: DesiredSecret, current: OwnSecret): readonly Change[] {
  return [
    ...changed('', desired.data, current.data, current.written.data),
    ...changed('labels.', desired.labels, current.labels, current.written.labels),
    ...changed('annotations.', desired.annotations, current.annotations, current.written.annotations),
  ];
}

function changed(
  prefix: string,
  desired: Readonly<Record<string, string>>,
  current: Readonly<Record<string, string>>,
  written: readonly string[],
): readonly Change[] {
  const other = Object.entries(desired).filter(([key, value]) => valueOf(current, key) !== value);
  const gone = written.filter(
    (key) => valueOf(desired, key) === undefined && valueOf(current, key) !== undefined,
  );
  return [...other.map(([key]) => key), ...gone].map((key) => {
    const [from, to] = [valueOf(current, key), valueOf(desired, key)];
    return {
      field: `${prefix}${key}`,
      ...(untold.has(key) || from === undefined ? {} : { from }),
      ...(untold.has(key) || to === undefined ? {} : { to }),
    };
  });
}

function valueOf(values: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(values, key) ? values[key] : undefined;
}
