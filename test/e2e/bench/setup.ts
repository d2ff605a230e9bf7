import { cleanUp } from './clean-up';

jest.setTimeout(600_000);
afterAll(cleanUp, 60_000);
