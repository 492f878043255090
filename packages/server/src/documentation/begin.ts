/** First steps with the shell and with TypeScript: shown on the page, and run unchanged by a test. */
export const beginWithCurl = (origin: string) => `export CARETAKER=${origin}
export KEY='your API key'
export TENANT=northgate
call() { curl -sS --fail-with-body "$CARETAKER/api/$1" -H "Authorization: Bearer $KEY" "\${@:2}"; }
# One page of the emergency lights, the worst first.
call FetchViewData --json '{"tenant":"'$TENANT'","listing":"EmergencyLights"}' > lights.json
# Requests a flick test of the first light, and its progress.
DEVICE=$(grep -o '"deviceId":"[^"]*' lights.json | head -1 | cut -d'"' -f4)
call RunT0Test -F tenant=$TENANT -F deviceId=$DEVICE
call GetDeviceCommands --json '{"tenant":"'$TENANT'","deviceId":"'$DEVICE'"}'`

export const beginWithTypeScript = (origin: string) => `const caretaker = '${origin}/api'
const headers = { authorization: 'Bearer your API key', 'content-type': 'application/json' }
async function call(action: string, sent: object) {
  const body = JSON.stringify({ tenant: 'northgate', ...sent })
  const answer = await fetch(\`\${caretaker}/\${action}\`, { method: 'POST', headers, body })
  const { isSuccessful, data, message } = (await answer.json()) as Record<string, any>
  return isSuccessful ? data : Promise.reject(new Error(\`\${action}: \${answer.status} \${message}\`))
}
const { rows } = await call('FetchViewData', { listing: 'EmergencyLights' })
for (const { deviceSerial, deviceStatus } of rows) console.log(deviceSerial, deviceStatus)`

export const generateClient = (origin: string) => `npm install oazapfts @oazapfts/runtime
npx oazapfts ${origin}/api/openapi.json caretaker.ts`
