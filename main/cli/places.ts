/** Where does what is shipped lie? */
import { fileURLToPath } from 'node:url';

/** The English starter, used by recipes without retrieval data. */
export const starterFolder = fileURLToPath(new URL('../../core/training/starter', import.meta.url));
