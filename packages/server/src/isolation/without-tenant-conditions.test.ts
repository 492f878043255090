import { describe } from 'vitest'
import { skipBecause } from '../testing/skipping.ts'
import { walkCalls } from './calls.ts'
import { unsent } from './layers.ts'

describe('on one database', skipBecause(unsent), () =>
  walkCalls('without tenant conditions [dev-1purpose-5]', ['tenant conditions']),
)
