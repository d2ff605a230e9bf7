/** Values of a Helm chart: plain objects, with Pulumi outputs as leaves where a value is not known yet. */
export interface HelmValues {
  readonly [key: string]: unknown;
}

/**
 * Values with others laid over them: objects are merged key by key, and everything else, arrays included, is
 * replaced. `undefined` leaves what is there. Neither argument is changed.
 */
export function mergeValues(values: HelmValues, over: HelmValues): HelmValues {
  const keys = new Set([...Object.keys(values), ...Object.keys(over)]);
  return Object.fromEntries(
    [...keys].map((key) => {
      const [below, above] = [own(values, key), own(over, key)];
      if (above === undefined) {
        return [key, below];
      }
      return [key, isValues(below) && isValues(above) ? mergeValues(below, above) : above];
    }),
  );
}

/** The value at a path, `webhookConfig.disableIngressValidation`; undefined where there is none. */
export function helmValueAt(values: HelmValues, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, key) => (isValues(value) ? own(value, key) : undefined), values);
}

/** Whether a value is an object of further values, and no output, promise or array. */
export function isValues(value: unknown): value is HelmValues {
  if (typeof value !== 'object' || value === null) {
    return false;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function own(values: HelmValues, key: string): unknown {
  return Object.hasOwn(values, key) ? values[key] : undefined;
}
