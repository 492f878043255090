import { config, z } from 'zod'

// The content security policy forbids code from text, and an attempt is reported as a violation.
config({ jitless: true })

/** For forms and files: pages without them do not load it. */
export { z }
