import type { Rule } from '../../rule';
import { tls01 } from './tls01';
import { tls02 } from './tls02';
import { tls03 } from './tls03';
import { tls04 } from './tls04';
import { tls05 } from './tls05';
import { tls06 } from './tls06';
import { tls07 } from './tls07';
import { tls08 } from './tls08';
import { tls09 } from './tls09';
import { tls10 } from './tls10';
import { tls11 } from './tls11';
import { tls12 } from './tls12';
import { tls13 } from './tls13';
import { tls14 } from './tls14';
import { tls15 } from './tls15';

/** In the order of their ids. */
export const certificateRules: readonly Rule[] = [
  tls01,
  tls02,
  tls03,
  tls04,
  tls05,
  tls06,
  tls07,
  tls08,
  tls09,
  tls10,
  tls11,
  tls12,
  tls13,
  tls14,
  tls15,
];
