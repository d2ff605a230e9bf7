import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { retryPlot } from './retry-plot';

writeFileSync(join(__dirname, '..', '..', '..', 'docs', 'pictures', 'retry-waits.svg'), retryPlot());
