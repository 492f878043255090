// `npm run pictures`: takes all pictures of the guides again, from a fresh demo.
process.env.CARETAKER_PICTURES = 'take'
process.argv.push('--only', 'e2e', 'packages/e2e/pictures.spec.ts')
await import('./test.mjs')
