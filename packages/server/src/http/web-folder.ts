import { fileURLToPath } from 'node:url'

/** The folder of the built web client. */
export const webFolder = fileURLToPath(new URL('../../../web/dist', import.meta.url))
