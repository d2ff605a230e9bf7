import { InvalidInput } from '../../../lib/core/validation';
import { register } from '../../pulumi-mocks';

/** Why a program is refused, and the types of what it has registered nevertheless. */
export interface Refusal {
  readonly message: string;
  readonly registered: readonly string[];
}

/** Runs a program that has to be refused. */
export async function refusalOf(program: () => unknown): Promise<Refusal> {
  let refused: unknown;
  const seen = await register(() => {
    try {
      program();
    } catch (error) {
      refused = error;
    }
  });
  expect(refused).toBeInstanceOf(InvalidInput);
  const { message } = refused as InvalidInput;
  return { message, registered: seen.all.map(({ type }) => type) };
}
