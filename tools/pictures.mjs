// `npm run pictures`: takes the pictures of the guides anew, from a fresh demo.
process.env.CARETAKER_PICTURES = 'take'
process.argv.push('--only', 'e2e', 'packages/e2e/pictures.spec.ts')
await import('./test.mjs')
