/** Why an e-mail or webhook message was not sent when the setting suppresses it. */
export const outboundIsOff = 'CARETAKER_OUTBOUND is off'
