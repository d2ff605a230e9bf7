import { cleanUp } from './clean-up';

jest.setTimeout(180_000);
afterAll(cleanUp, 60_000);
