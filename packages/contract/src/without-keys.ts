/**
 * The documented calls that accept no API key, with the reason. A key belongs to one client and has the rights of its role, so
 * every other documented call accepts one; a test checks this table against the routes. Internal calls are not documented.
 */
export const withoutKeys: Readonly<Record<string, string>> = {
  getClientSettings: 'It is needed before sign-in and requires no token.',
  addTenant: 'A key belongs to an existing client, and this call creates one.',
  editTenant: "Only the vendor's staff can rename clients; a key has no rights outside its own client.",
  getSystemStatus: 'It describes the installation, which belongs to no client; programs can read /metrics.',
  getAppResident: 'The resident app has its own key, which allows only these calls.',
  sendUplink: 'A network server uses the key of its connection, which allows only this call.',
  requestResidence: 'The resident app has its own key, which allows only these calls.',
}
