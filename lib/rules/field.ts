import type { Labels, LabelSelector, LabelSelectorRequirement } from '../admission';
import { isMapping } from '../problems';
import { pointerTo, stepsOf } from './json-pointer';
import type { JudgedObject } from './judged-object';

/**
 * A place in an object, and what stands there. It reads whatever type there is, and never throws: a text that is a number
 * is no text, an item of something that is no list is absent.
 */
export class Field {
  /** The object itself. */
  public static of(object: JudgedObject): Field {
    return new Field(object.value, '');
  }

  /** Any value, as if it stood at a place of an object. */
  public static ofValue(value: unknown, pointer = ''): Field {
    return new Field(value, pointer);
  }

  private constructor(
    /** What is there; undefined where nothing is. */
    public readonly value: unknown,
    /** JSON pointer (RFC 6901) of the place in the object. */
    public readonly pointer: string,
    /** Of a map that was put over another one: both. */
    private readonly layers?: readonly [upper: Field, lower: Field],
  ) {}

  /**
   * This place with another one below it, as maps are merged: what only the other has is there as well, with the pointer that
   * it has there. Lists and other values are taken whole, and `null` takes away what is below it.
   */
  public over(other: Field): Field {
    if (this.value === undefined) {
      return other;
    }
    return isMapping(this.value) && (isMapping(other.value) || !other.exists)
      ? new Field(merged(this.value, other.record), this.pointer, [this, other])
      : this;
  }

  /** The place below, by keys and positions, whether anything is there or not. */
  public get(...steps: readonly (string | number)[]): Field {
    if (steps.length === 0) {
      return this;
    }
    if (this.layers) {
      const [upper, lower] = this.layers.map((layer) => layer.get(steps[0]!)) as [Field, Field];
      return upper.over(lower).get(...steps.slice(1));
    }
    let { value, pointer }: { value: unknown; pointer: string } = this;
    for (const step of steps) {
      value = stepInto(value, step);
      pointer += pointerTo(step);
    }
    return new Field(value, pointer);
  }

  /** The steps of the pointer. */
  public get steps(): readonly string[] {
    return stepsOf(this.pointer);
  }

  /** Whether something is there. `null` is nothing, as for Kubernetes. */
  public get exists(): boolean {
    return this.value !== undefined && this.value !== null;
  }

  /** The value, if it is a text. */
  public get text(): string | undefined {
    return typeof this.value === 'string' ? this.value : undefined;
  }

  /** The value, if it is a finite number. */
  public get number(): number | undefined {
    return typeof this.value === 'number' && Number.isFinite(this.value) ? this.value : undefined;
  }

  /** The value, if it is `true` or `false`. */
  public get boolean(): boolean | undefined {
    return typeof this.value === 'boolean' ? this.value : undefined;
  }

  /** Items of a list; none of anything else. */
  public get items(): readonly Field[] {
    const list: readonly unknown[] = Array.isArray(this.value) ? this.value : [];
    return list.map((value, position) => new Field(value, `${this.pointer}/${position}`));
  }

  /** Entries of a map; none of anything else. */
  public get entries(): readonly (readonly [key: string, value: Field])[] {
    return isMapping(this.value) ? Object.keys(this.value).map((key) => [key, this.get(key)]) : [];
  }

  /** A map; an empty one of anything else. */
  public get record(): Readonly<Record<string, unknown>> {
    return isMapping(this.value) ? this.value : {};
  }

  /** Keys of a map; none of anything else. */
  public get keys(): readonly string[] {
    return isMapping(this.value) ? Object.keys(this.value) : [];
  }

  /** The texts among the items of a list. */
  public get texts(): readonly string[] {
    return Array.isArray(this.value)
      ? this.value.filter((each): each is string => typeof each === 'string')
      : [];
  }

  /** Labels, annotations or other texts by name; what is no text is left out. */
  public get labels(): Labels {
    return Object.fromEntries(
      this.entries.flatMap(([key, { text }]) => (text === undefined ? [] : [[key, text]])),
    );
  }

  /**
   * A label selector; undefined where there is none. What that means depends on the place: none in a webhook selects
   * everything, none in a Service or a PodDisruptionBudget nothing. Requirements that Kubernetes would refuse are left out.
   */
  public get selector(): LabelSelector | undefined {
    if (!isMapping(this.value)) {
      return undefined;
    }
    const matchExpressions = this.get('matchExpressions').items.flatMap((each) => {
      const [key, operator] = [each.get('key').text, each.get('operator').text];
      return key !== undefined && isOperator(operator)
        ? [{ key, operator, values: each.get('values').texts }]
        : [];
    });
    return { matchLabels: this.get('matchLabels').labels, matchExpressions };
  }
}

function merged(
  over: Readonly<Record<string, unknown>>,
  under: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const both = Object.entries(over).map(([key, value]) => {
    const other = Object.hasOwn(under, key) ? under[key] : undefined;
    return [key, isMapping(value) && isMapping(other) ? merged(value, other) : value] as const;
  });
  return { ...under, ...Object.fromEntries(both) };
}

function stepInto(value: unknown, step: string | number): unknown {
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value;
    return /^\d+$/.test(String(step)) ? list[Number(step)] : undefined;
  }
  return isMapping(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}

function isOperator(text: string | undefined): text is LabelSelectorRequirement['operator'] {
  return text === 'In' || text === 'NotIn' || text === 'Exists' || text === 'DoesNotExist';
}
