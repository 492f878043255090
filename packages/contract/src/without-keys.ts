/**
 * The calls of the API's page that no API key may make, and why. A key belongs to one client and does there what its role allows, so
 * every other call takes one; a test holds this table against the routes. What only the pages call stands on no such page.
 */
export const withoutKeys: Readonly<Record<string, string>> = {
  getClientSettings: 'Whoever wants to sign in asks for it first: it needs no token at all.',
  addTenant: 'A key belongs to a client, and this makes one that is not there yet.',
  editTenant: "Only the vendor's staff rename clients, any of them; a key is nobody outside its own.",
  getSystemStatus: 'It tells of the installation, which belongs to no client; programs read /metrics.',
  getAppResident: 'The resident app has a key of its own, which may do this and nothing else.',
  sendUplink: 'A network server has the key of its connection, which may do this and nothing else.',
  requestResidence: 'The resident app has a key of its own, which may do this and nothing else.',
}
