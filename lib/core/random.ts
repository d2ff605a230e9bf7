/** Random numbers that a seed fixes. */
export interface Random {
  /** Evenly distributed above 0 and below 1, in steps of 2 to the power of -52. */
  uniform(): number;
}

const increment = 0x9e3779b9;

/** Mixes the bits of 32, one to one: the last step of MurmurHash3, by Austin Appleby. */
function mix(value: number): number {
  let bits = value;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/** A seed for one of many: run 7 of seed 1, the router of run 7. */
export function derivedSeed(seed: number, part: number): number {
  return mix(mix(seed + increment) + Math.imul(part + 1, increment));
}

/**
 * The generator xoshiro128** by David Blackman and Sebastiano Vigna: 128 bits of state, 32 bits a step, which suits
 * JavaScript's whole numbers.
 *
 * @see https://prng.di.unimi.it/xoshiro128starstar.c
 * @see https://doi.org/10.1145/3460772 "Scrambled Linear Pseudorandom Number Generators", 2021
 */
export class Xoshiro128 implements Random {
  private a: number;
  private b: number;
  private c: number;
  private d: number;

  /** @param state four whole numbers of 32 bits, not all 0 */
  public constructor(state: readonly [number, number, number, number]) {
    [this.a, this.b, this.c, this.d] = state;
  }

  /** @param seed a whole number of 32 bits; the state is filled by a counter that is mixed */
  public static fromSeed(seed: number): Xoshiro128 {
    const word = (position: number) => mix(seed + Math.imul(position, increment));
    return new Xoshiro128([word(1), word(2), word(3), word(4)]);
  }

  /** The next whole number of 32 bits. */
  public next(): number {
    const product = Math.imul(this.b, 5);
    const result = Math.imul((product << 7) | (product >>> 25), 9) >>> 0;
    const shifted = this.b << 9;
    this.c ^= this.a;
    this.d ^= this.b;
    this.b ^= this.c;
    this.a ^= this.d;
    this.c ^= shifted;
    this.d = (this.d << 11) | (this.d >>> 21);
    return result;
  }

  public uniform(): number {
    return ((this.next() >>> 6) * 0x4000000 + (this.next() >>> 6) + 0.5) / 0x10000000000000;
  }
}
