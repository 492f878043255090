import { walkCalls } from './calls.ts'

walkCalls('with both layers [dev-1purpose-5]', [])
