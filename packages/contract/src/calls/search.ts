import type { Call } from '../call.ts'

export const searchEverything = {
  method: 'POST',
  path: '/api/SearchEverything',
  may: 'enter tenant',
} as const satisfies Call
