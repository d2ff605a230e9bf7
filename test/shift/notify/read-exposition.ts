/** A line of the text format. */
export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** What Prometheus reads. */
export interface ReadExposition {
  readonly series: readonly Series[];
  readonly types: Readonly<Record<string, string>>;
}

const pair = '[a-zA-Z_]\\w*="(?:[^"\\\\\\n]|\\\\[\\\\"n])*"';

const sampleForm = new RegExp(`^([a-zA-Z_:][\\w:]*)\\{(${pair}(?:,${pair})*)\\} (\\S+)$`);

/**
 * Reads the text format as strictly as Prometheus does, and more: names in groups, each with its help and type before it, and
 * no series twice.
 *
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
 */
export function readExposition(text: string): ReadExposition {
  const series: Series[] = [];
  const types: Record<string, string> = {};
  const known = new Set<string>();
  let group = '';
  if (text !== '' && !text.endsWith('\n')) {
    throw new Error('the last line has no end');
  }
  for (const line of text.split('\n').slice(0, -1)) {
    const [, keyword, name, rest] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    if (keyword === 'HELP') {
      if (name! in types) {
        throw new Error(`${name} has two groups`);
      }
      group = name!;
      continue;
    }
    if (keyword === 'TYPE') {
      if (name !== group || !['gauge', 'counter'].includes(rest!)) {
        throw new Error(line);
      }
      types[group] = rest!;
      continue;
    }
    const [, metric, pairs, digits] = sampleForm.exec(line) ?? [];
    const value = Number(digits);
    if (metric === undefined || metric !== group || !(group in types) || !Number.isFinite(value)) {
      throw new Error(`no line of ${group}: ${line}`);
    }
    const labels = Object.fromEntries(
      [...pairs!.matchAll(/([a-zA-Z_]\w*)="((?:[^"\\\n]|\\[\\"n])*)"/g)].map(([, label, raw]) => [
        label!,
        raw!.replace(/\\([\\"n])/g, (_, each: string) => (each === 'n' ? '\n' : each)),
      ]),
    );
    const key = `${metric} ${JSON.stringify(Object.entries(labels).sort())}`;
    if (known.has(key)) {
      throw new Error(`twice: ${line}`);
    }
    known.add(key);
    series.push({ name: metric, labels, value });
  }
  return { series, types };
}

/** The values of a metric by its labels behind `fleet` and `route`: `{ green: 0.01 }`, `{ 'errors fail': 1 }`. */
export function valuesOf({ series }: ReadExposition, name: string): Readonly<Record<string, number>> {
  return Object.fromEntries(
    series
      .filter((each) => each.name === name)
      .map(({ labels: { fleet: _fleet, route: _route, ...own }, value }) => [
        Object.values(own).join(' '),
        value,
      ]),
  );
}
