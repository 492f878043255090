import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resetFailureText } from './reset.ts'

test('a reset that failed says what the server said, and the configured message when that was no text [dev-8err-34]', () => {
  const configured = 'Failed to reset Boiler!'
  assert.equal(resetFailureText('The boiler is not in lockout.', configured), 'The boiler is not in lockout.')
  for (const said of [undefined, null, '', '  ', 500, false, { message: 'x' }, ['x']])
    assert.equal(resetFailureText(said, configured), configured)
})
