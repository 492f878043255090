import { fileURLToPath } from 'node:url'

/** Where the built web pages lie. */
export const webFolder = fileURLToPath(new URL('../../../web/dist', import.meta.url))
