import { walkCalls } from './calls.ts'

walkCalls('with both layers', [])
