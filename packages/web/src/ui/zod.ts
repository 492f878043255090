import { config, z } from 'zod'

// The content security policy allows no code made from text, and a mere attempt at it is reported as a violation.
config({ jitless: true })

/** Shapes for forms and files: a page that has neither never loads them. */
export { z }
