/** What a reset that failed comes to in words: what the server said where that is text, else the configured message. */
export function resetFailureText(said: unknown, configured: string): string {
  return typeof said === 'string' && said.trim() !== '' ? said : configured
}
