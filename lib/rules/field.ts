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
  ) {}

  /** The place below, by keys and positions, whether anything is there or not. */
  public get(...steps: readonly (string | number)[]): Field {
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
    return isMapping(this.value)
      ? Object.entries(this.value).map(([key, value]) => [
          key,
          new Field(value, this.pointer + pointerTo(key)),
        ])
      : [];
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
