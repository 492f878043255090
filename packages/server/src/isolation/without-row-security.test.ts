import { walkCalls } from './calls.ts'

walkCalls('without row security [dev-1purpose-5]', ['row security'])
