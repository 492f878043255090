import type { Answer, Nature } from './model.ts'

/** Whether the device initially belongs to its mesh network: true unless the trait `networkJoined` is false. */
export function joinedAtFirst(device: Nature): boolean {
  return device.traits['networkJoined'] !== false
}

/** Seconds between the reply and the report of the new state. */
const soon = 1

function change<State extends { joined: boolean }>(state: State, joined: boolean): Answer<State> {
  const message = joined ? 'Already joined to the network' : 'Already left the network'
  if (state.joined === joined) return { state, status: 'confirmed', message }
  return { state: { ...state, joined }, status: 'confirmed', next: soon }
}

export const joinNetwork = <State extends { joined: boolean }>(state: State) => change(state, true)
export const leaveNetwork = <State extends { joined: boolean }>(state: State) => change(state, false)
