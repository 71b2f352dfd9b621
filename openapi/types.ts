// Generated from openapi/openapi.yaml by `npm run generate`: do not edit. For programs that use the gateway.

export interface paths {
  "/": {
    /** Get service information */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ServiceInfo'];
          };
        };
        500: components['responses']['InternalError'];
      };
    };
  };
  "/verify-creds": {
    /** Check a key */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ValidCredentials'];
          };
        };
        400: components['responses']['BadRequest'];
        401: components['responses']['Unauthorized'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/livez": {
    /** Check that the process is alive */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['Liveness'];
          };
        };
        500: components['responses']['InternalError'];
      };
    };
  };
  "/readyz": {
    /** Check that the process can take traffic */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['Readiness'];
          };
        };
        500: components['responses']['InternalError'];
        503: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['Readiness'];
          };
        };
      };
    };
  };
  "/metrics": {
    /** Read the metrics */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "text/plain": string;
          };
        };
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/log/level": {
    /** Get the log level */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['LogLevel'];
          };
        };
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
    /** Set the log level */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['LogLevel'];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['LogLevel'];
          };
        };
        400: components['responses']['BadRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/cluster": {
    /** List the nodes of the cluster */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ClusterRecord'];
          };
        };
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/openapi.yaml": {
    /** Download this document as YAML */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/yaml": string;
          };
        };
        500: components['responses']['InternalError'];
      };
    };
  };
  "/openapi.json": {
    /** Download this document as JSON */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['OpenApiDocument'];
          };
        };
        500: components['responses']['InternalError'];
      };
    };
  };
  "/instance/create": {
    /** Create an instance */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['CreateInstanceBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['CreatedInstanceV1'] | components['schemas']['CreatedInstanceV2'];
          };
        };
        400: components['responses']['BadInstance'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        502: components['responses']['BadGateway'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/instance/connect/{instance}": {
    /** Link an instance */
    get: {
      parameters: {
        query?: {
          /** Phone number with country code. Given, the answer carries a pairing code to type on the phone. */
          number?: string;
        };
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['QrCode'] | components['schemas']['ConnectionState'];
          };
        };
        400: components['responses']['BadSessionQuery'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        502: components['responses']['BadGateway'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/instance/passkey/{instance}": {
    /** Get the passkey request */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['PasskeyLink'];
          };
        };
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        409: components['responses']['PasskeyConflict'];
        410: components['responses']['PasskeyExpired'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
    /** Answer the passkey request */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['PasskeyAssertion'];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['PasskeyLink'];
          };
        };
        400: components['responses']['BadPasskey'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        409: components['responses']['PasskeyConflict'];
        410: components['responses']['PasskeyExpired'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/instance/passkey/{instance}/confirm": {
    /** Get the passkey code to compare */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['PasskeyCode'];
          };
        };
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        409: components['responses']['PasskeyConflict'];
        410: components['responses']['PasskeyExpired'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
    /** Confirm the passkey code */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['ConfirmPasskeyBody'];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['PasskeyLink'];
          };
        };
        400: components['responses']['BadPasskeyConfirmation'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        409: components['responses']['PasskeyConflict'];
        410: components['responses']['PasskeyExpired'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/instance/fetchInstances": {
    /** List instances */
    get: {
      parameters: {
        query?: {
          /** Only the instance with this name. */
          instanceName?: string;
          /** Only the instance with this id (extension). */
          instanceId?: string;
          /** Only the instance linked to, or prepared for, this phone number (extension). */
          number?: string;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['InstanceRecord'][];
          };
        };
        400: components['responses']['BadQuery'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/instance/connectionState/{instance}": {
    /** Get the connection state */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ConnectionState'];
          };
        };
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/instance/restart/{instance}": {
    /** Restart the connection */
    put: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ConnectionState'];
          };
        };
        400: components['responses']['BadRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
    /** Restart the connection (POST) */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ConnectionState'];
          };
        };
        400: components['responses']['BadRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/instance/setPresence/{instance}": {
    /** Set the presence of the account */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['SetPresenceBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['PresenceResult'];
          };
        };
        400: components['responses']['BadSessionRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/instance/logout/{instance}": {
    /** Unlink an instance */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['OperationResult'];
          };
        };
        400: components['responses']['BadLogout'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/instance/delete/{instance}": {
    /** Delete an instance */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['OperationResult'];
          };
        };
        400: components['responses']['BadRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/message/sendText/{instance}": {
    /** Send a text */
    post: {
      parameters: {
        query?: {
          /** `ack`: answer when the platform has taken or refused the message, with `status` SERVER_ACK or later, or ERROR with `code` and `reason`; PENDING when that takes longer than `timeout`. */
          wait?: "ack";
          /** How long `wait` waits, in milliseconds; 10 000 unless it says otherwise. */
          timeout?: number;
        };
        header?: {
          /** Names the request for 24 hours, within this operation of this instance. The same request with the same key takes effect once and gets the first answer again, with the header `idempotency-replayed: true`; the answer is 422 for another body, and 409 while the first request is in progress. A request that certainly took no effect may be repeated under its key; after a crash of the gateway a message still goes out under one id, which its receiver shows once. */
          "idempotency-key"?: string;
        };
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['SendTextBody'] | components['schemas']['SendTextFlatBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SentMessage'] | components['schemas']['SentMessageFlat'];
          };
        };
        400: components['responses']['BadMessage'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        409: components['responses']['InFlight'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        422: components['responses']['KeyMismatch'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/message/sendPlatformAudio/{instance}": {
    /** Send a voice note */
    post: {
      parameters: {
        query?: {
          /** `ack`: answer when the platform has taken or refused the message, with `status` SERVER_ACK or later, or ERROR with `code` and `reason`; PENDING when that takes longer than `timeout`. */
          wait?: "ack";
          /** How long `wait` waits, in milliseconds; 10 000 unless it says otherwise. */
          timeout?: number;
        };
        header?: {
          /** Names the request for 24 hours, within this operation of this instance. The same request with the same key takes effect once and gets the first answer again, with the header `idempotency-replayed: true`; the answer is 422 for another body, and 409 while the first request is in progress. A request that certainly took no effect may be repeated under its key; after a crash of the gateway a message still goes out under one id, which its receiver shows once. */
          "idempotency-key"?: string;
        };
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['SendAudioBody'] | components['schemas']['SendAudioFlatBody'];
          "multipart/form-data": {
            number: components['schemas']['Recipient'];
            /** The file; it wins over a source named in a field. */
            file?: Blob;
            /** False sends the file as it is. */
            encoding?: boolean;
            /** To be listened to once. */
            viewOnce?: boolean;
            /** Milliseconds to wait before sending. */
            delay?: number;
            presence?: components['schemas']['Presence'];
            /** JSON. */
            quoted?: string;
            /** Mentions all members of the group. */
            mentionsEveryOne?: boolean;
            /** Mentions all members of the group without a list. */
            mentionsAll?: boolean;
            /** JSON, or the field once for each. */
            mentioned?: string;
            /** The options of the other form as JSON. */
            options?: string;
          };
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SentMessage'] | components['schemas']['SentMessageFlat'];
          };
        };
        400: components['responses']['BadMediaMessage'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        409: components['responses']['InFlight'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        422: components['responses']['KeyMismatch'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        502: components['responses']['BadGateway'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/message/sendWhatsAppAudio/{instance}": {
    /** Send a voice note (sendWhatsAppAudio) */
    post: {
      parameters: {
        query?: {
          /** `ack`: answer when the platform has taken or refused the message, with `status` SERVER_ACK or later, or ERROR with `code` and `reason`; PENDING when that takes longer than `timeout`. */
          wait?: "ack";
          /** How long `wait` waits, in milliseconds; 10 000 unless it says otherwise. */
          timeout?: number;
        };
        header?: {
          /** Names the request for 24 hours, within this operation of this instance. The same request with the same key takes effect once and gets the first answer again, with the header `idempotency-replayed: true`; the answer is 422 for another body, and 409 while the first request is in progress. A request that certainly took no effect may be repeated under its key; after a crash of the gateway a message still goes out under one id, which its receiver shows once. */
          "idempotency-key"?: string;
        };
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['SendAudioBody'] | components['schemas']['SendAudioFlatBody'];
          "multipart/form-data": {
            number: components['schemas']['Recipient'];
            /** The file; it wins over a source named in a field. */
            file?: Blob;
            /** False sends the file as it is. */
            encoding?: boolean;
            /** To be listened to once. */
            viewOnce?: boolean;
            /** Milliseconds to wait before sending. */
            delay?: number;
            presence?: components['schemas']['Presence'];
            /** JSON. */
            quoted?: string;
            /** Mentions all members of the group. */
            mentionsEveryOne?: boolean;
            /** Mentions all members of the group without a list. */
            mentionsAll?: boolean;
            /** JSON, or the field once for each. */
            mentioned?: string;
            /** The options of the other form as JSON. */
            options?: string;
          };
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SentMessage'] | components['schemas']['SentMessageFlat'];
          };
        };
        400: components['responses']['BadMediaMessage'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        409: components['responses']['InFlight'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        422: components['responses']['KeyMismatch'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        502: components['responses']['BadGateway'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/message/sendLocation/{instance}": {
    /** Send a location */
    post: {
      parameters: {
        query?: {
          /** `ack`: answer when the platform has taken or refused the message, with `status` SERVER_ACK or later, or ERROR with `code` and `reason`; PENDING when that takes longer than `timeout`. */
          wait?: "ack";
          /** How long `wait` waits, in milliseconds; 10 000 unless it says otherwise. */
          timeout?: number;
        };
        header?: {
          /** Names the request for 24 hours, within this operation of this instance. The same request with the same key takes effect once and gets the first answer again, with the header `idempotency-replayed: true`; the answer is 422 for another body, and 409 while the first request is in progress. A request that certainly took no effect may be repeated under its key; after a crash of the gateway a message still goes out under one id, which its receiver shows once. */
          "idempotency-key"?: string;
        };
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['SendLocationBody'] | components['schemas']['SendLocationFlatBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SentMessage'] | components['schemas']['SentMessageFlat'];
          };
        };
        400: components['responses']['BadMessage'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        409: components['responses']['InFlight'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        422: components['responses']['KeyMismatch'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/message/sendSticker/{instance}": {
    /** Send a sticker */
    post: {
      parameters: {
        query?: {
          /** `ack`: answer when the platform has taken or refused the message, with `status` SERVER_ACK or later, or ERROR with `code` and `reason`; PENDING when that takes longer than `timeout`. */
          wait?: "ack";
          /** How long `wait` waits, in milliseconds; 10 000 unless it says otherwise. */
          timeout?: number;
        };
        header?: {
          /** Names the request for 24 hours, within this operation of this instance. The same request with the same key takes effect once and gets the first answer again, with the header `idempotency-replayed: true`; the answer is 422 for another body, and 409 while the first request is in progress. A request that certainly took no effect may be repeated under its key; after a crash of the gateway a message still goes out under one id, which its receiver shows once. */
          "idempotency-key"?: string;
        };
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['SendStickerBody'] | components['schemas']['SendStickerFlatBody'];
          "multipart/form-data": {
            number: components['schemas']['Recipient'];
            /** The file; it wins over a source named in a field. */
            file?: Blob;
            /** Milliseconds to wait before sending. */
            delay?: number;
            presence?: components['schemas']['Presence'];
            /** JSON. */
            quoted?: string;
            /** Mentions all members of the group. */
            mentionsEveryOne?: boolean;
            /** Mentions all members of the group without a list. */
            mentionsAll?: boolean;
            /** JSON, or the field once for each. */
            mentioned?: string;
            /** The options of the other form as JSON. */
            options?: string;
          };
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SentMessage'] | components['schemas']['SentMessageFlat'];
          };
        };
        400: components['responses']['BadMediaMessage'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        409: components['responses']['InFlight'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        422: components['responses']['KeyMismatch'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        502: components['responses']['BadGateway'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/message/sendMedia/{instance}": {
    /** Send an image, a video, an audio file or a document */
    post: {
      parameters: {
        query?: {
          /** `ack`: answer when the platform has taken or refused the message, with `status` SERVER_ACK or later, or ERROR with `code` and `reason`; PENDING when that takes longer than `timeout`. */
          wait?: "ack";
          /** How long `wait` waits, in milliseconds; 10 000 unless it says otherwise. */
          timeout?: number;
        };
        header?: {
          /** Names the request for 24 hours, within this operation of this instance. The same request with the same key takes effect once and gets the first answer again, with the header `idempotency-replayed: true`; the answer is 422 for another body, and 409 while the first request is in progress. A request that certainly took no effect may be repeated under its key; after a crash of the gateway a message still goes out under one id, which its receiver shows once. */
          "idempotency-key"?: string;
        };
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['SendMediaBody'] | components['schemas']['SendMediaFlatBody'];
          "multipart/form-data": {
            number: components['schemas']['Recipient'];
            /** The kind of the file. */
            mediatype: "image" | "document" | "video" | "audio";
            /** The file; it wins over a source named in a field. */
            file?: Blob;
            /** Of a document; else the name that the file comes with. */
            fileName?: string;
            /** The MIME type of the file. */
            mimetype?: string;
            /** The text below the file. */
            caption?: string;
            /** An image, a video or an audio to be looked at once. */
            viewOnce?: boolean;
            /** Milliseconds to wait before sending. */
            delay?: number;
            presence?: components['schemas']['Presence'];
            /** JSON. */
            quoted?: string;
            /** Mentions all members of the group. */
            mentionsEveryOne?: boolean;
            /** Mentions all members of the group without a list. */
            mentionsAll?: boolean;
            /** JSON, or the field once for each. */
            mentioned?: string;
            /** The options of the other form as JSON. */
            options?: string;
          };
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SentMessage'] | components['schemas']['SentMessageFlat'];
          };
        };
        400: components['responses']['BadMediaMessage'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        409: components['responses']['InFlight'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        422: components['responses']['KeyMismatch'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        502: components['responses']['BadGateway'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/message/sendPtv/{instance}": {
    /** Send a video note */
    post: {
      parameters: {
        query?: {
          /** `ack`: answer when the platform has taken or refused the message, with `status` SERVER_ACK or later, or ERROR with `code` and `reason`; PENDING when that takes longer than `timeout`. */
          wait?: "ack";
          /** How long `wait` waits, in milliseconds; 10 000 unless it says otherwise. */
          timeout?: number;
        };
        header?: {
          /** Names the request for 24 hours, within this operation of this instance. The same request with the same key takes effect once and gets the first answer again, with the header `idempotency-replayed: true`; the answer is 422 for another body, and 409 while the first request is in progress. A request that certainly took no effect may be repeated under its key; after a crash of the gateway a message still goes out under one id, which its receiver shows once. */
          "idempotency-key"?: string;
        };
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['SendPtvBody'] | components['schemas']['SendPtvFlatBody'];
          "multipart/form-data": {
            number: components['schemas']['Recipient'];
            /** The file; it wins over a source named in a field. */
            file?: Blob;
            /** Milliseconds to wait before sending. */
            delay?: number;
            presence?: components['schemas']['Presence'];
            /** JSON. */
            quoted?: string;
            /** Mentions all members of the group. */
            mentionsEveryOne?: boolean;
            /** Mentions all members of the group without a list. */
            mentionsAll?: boolean;
            /** JSON, or the field once for each. */
            mentioned?: string;
            /** The options of the other form as JSON. */
            options?: string;
          };
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SentMessage'] | components['schemas']['SentMessageFlat'];
          };
        };
        400: components['responses']['BadMediaMessage'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        409: components['responses']['InFlight'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        422: components['responses']['KeyMismatch'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        502: components['responses']['BadGateway'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/message/sendContact/{instance}": {
    /** Send contacts */
    post: {
      parameters: {
        query?: {
          /** `ack`: answer when the platform has taken or refused the message, with `status` SERVER_ACK or later, or ERROR with `code` and `reason`; PENDING when that takes longer than `timeout`. */
          wait?: "ack";
          /** How long `wait` waits, in milliseconds; 10 000 unless it says otherwise. */
          timeout?: number;
        };
        header?: {
          /** Names the request for 24 hours, within this operation of this instance. The same request with the same key takes effect once and gets the first answer again, with the header `idempotency-replayed: true`; the answer is 422 for another body, and 409 while the first request is in progress. A request that certainly took no effect may be repeated under its key; after a crash of the gateway a message still goes out under one id, which its receiver shows once. */
          "idempotency-key"?: string;
        };
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['SendContactBody'] | components['schemas']['SendContactFlatBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SentMessage'] | components['schemas']['SentMessageFlat'];
          };
        };
        400: components['responses']['BadContactMessage'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        409: components['responses']['InFlight'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        422: components['responses']['KeyMismatch'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/message/sendReaction/{instance}": {
    /** React to a message */
    post: {
      parameters: {
        query?: {
          /** `ack`: answer when the platform has taken or refused the message, with `status` SERVER_ACK or later, or ERROR with `code` and `reason`; PENDING when that takes longer than `timeout`. */
          wait?: "ack";
          /** How long `wait` waits, in milliseconds; 10 000 unless it says otherwise. */
          timeout?: number;
        };
        header?: {
          /** Names the request for 24 hours, within this operation of this instance. The same request with the same key takes effect once and gets the first answer again, with the header `idempotency-replayed: true`; the answer is 422 for another body, and 409 while the first request is in progress. A request that certainly took no effect may be repeated under its key; after a crash of the gateway a message still goes out under one id, which its receiver shows once. */
          "idempotency-key"?: string;
        };
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['SendReactionBody'] | components['schemas']['SendReactionFlatBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SentMessage'] | components['schemas']['SentMessageFlat'];
          };
        };
        400: components['responses']['BadMessage'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        409: components['responses']['InFlight'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        422: components['responses']['KeyMismatch'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/message/forward/{instance}": {
    /** Forward a message */
    post: {
      parameters: {
        query?: {
          /** `ack`: answer when the platform has taken or refused the message, with `status` SERVER_ACK or later, or ERROR with `code` and `reason`; PENDING when that takes longer than `timeout`. */
          wait?: "ack";
          /** How long `wait` waits, in milliseconds; 10 000 unless it says otherwise. */
          timeout?: number;
        };
        header?: {
          /** Names the request for 24 hours, within this operation of this instance. The same request with the same key takes effect once and gets the first answer again, with the header `idempotency-replayed: true`; the answer is 422 for another body, and 409 while the first request is in progress. A request that certainly took no effect may be repeated under its key; after a crash of the gateway a message still goes out under one id, which its receiver shows once. */
          "idempotency-key"?: string;
        };
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['ForwardBody'] | components['schemas']['ForwardFlatBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SentMessage'] | components['schemas']['SentMessageFlat'];
          };
        };
        400: components['responses']['BadMessage'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        409: components['responses']['InFlight'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        422: components['responses']['KeyMismatch'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/message/sendAlbum/{instance}": {
    /** Send an album */
    post: {
      parameters: {
        query?: {
          /** `ack`: answer when the platform has taken or refused the message, with `status` SERVER_ACK or later, or ERROR with `code` and `reason`; PENDING when that takes longer than `timeout`. */
          wait?: "ack";
          /** How long `wait` waits, in milliseconds; 10 000 unless it says otherwise. */
          timeout?: number;
        };
        header?: {
          /** Names the request for 24 hours, within this operation of this instance. The same request with the same key takes effect once and gets the first answer again, with the header `idempotency-replayed: true`; the answer is 422 for another body, and 409 while the first request is in progress. A request that certainly took no effect may be repeated under its key; after a crash of the gateway a message still goes out under one id, which its receiver shows once. */
          "idempotency-key"?: string;
        };
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['SendAlbumBody'] | components['schemas']['SendAlbumFlatBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SentAlbum'] | components['schemas']['SentAlbumFlat'];
          };
        };
        400: components['responses']['BadMediaMessage'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        409: components['responses']['InFlight'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        422: components['responses']['KeyMismatch'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/message/pin/{instance}": {
    /** Pin or unpin a message */
    post: {
      parameters: {
        query?: {
          /** `ack`: answer when the platform has taken or refused the message, with `status` SERVER_ACK or later, or ERROR with `code` and `reason`; PENDING when that takes longer than `timeout`. */
          wait?: "ack";
          /** How long `wait` waits, in milliseconds; 10 000 unless it says otherwise. */
          timeout?: number;
        };
        header?: {
          /** Names the request for 24 hours, within this operation of this instance. The same request with the same key takes effect once and gets the first answer again, with the header `idempotency-replayed: true`; the answer is 422 for another body, and 409 while the first request is in progress. A request that certainly took no effect may be repeated under its key; after a crash of the gateway a message still goes out under one id, which its receiver shows once. */
          "idempotency-key"?: string;
        };
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['PinMessageBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SentMessage'] | components['schemas']['SentMessageFlat'];
          };
        };
        400: components['responses']['BadMessage'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        409: components['responses']['InFlight'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        422: components['responses']['KeyMismatch'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/message/sendPoll/{instance}": {
    /** Send a poll */
    post: {
      parameters: {
        query?: {
          /** `ack`: answer when the platform has taken or refused the message, with `status` SERVER_ACK or later, or ERROR with `code` and `reason`; PENDING when that takes longer than `timeout`. */
          wait?: "ack";
          /** How long `wait` waits, in milliseconds; 10 000 unless it says otherwise. */
          timeout?: number;
        };
        header?: {
          /** Names the request for 24 hours, within this operation of this instance. The same request with the same key takes effect once and gets the first answer again, with the header `idempotency-replayed: true`; the answer is 422 for another body, and 409 while the first request is in progress. A request that certainly took no effect may be repeated under its key; after a crash of the gateway a message still goes out under one id, which its receiver shows once. */
          "idempotency-key"?: string;
        };
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['SendPollBody'] | components['schemas']['SendPollFlatBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SentMessage'] | components['schemas']['SentMessageFlat'];
          };
        };
        400: components['responses']['BadMessage'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        409: components['responses']['InFlight'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        422: components['responses']['KeyMismatch'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/message/sendStatus/{instance}": {
    /** Post a status */
    post: {
      parameters: {
        query?: {
          /** `ack`: answer when the platform has taken or refused the message, with `status` SERVER_ACK or later, or ERROR with `code` and `reason`; PENDING when that takes longer than `timeout`. */
          wait?: "ack";
          /** How long `wait` waits, in milliseconds; 10 000 unless it says otherwise. */
          timeout?: number;
        };
        header?: {
          /** Names the request for 24 hours, within this operation of this instance. The same request with the same key takes effect once and gets the first answer again, with the header `idempotency-replayed: true`; the answer is 422 for another body, and 409 while the first request is in progress. A request that certainly took no effect may be repeated under its key; after a crash of the gateway a message still goes out under one id, which its receiver shows once. */
          "idempotency-key"?: string;
        };
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['SendStatusBody'] | components['schemas']['SendStatusFlatBody'];
          "multipart/form-data": {
            type: "image" | "video" | "audio";
            /** The file; it wins over a source named in a field. */
            file?: Blob;
            /** The text below the file. */
            caption?: string;
            backgroundColor?: string;
            /** JSON, or the field once for each. */
            statusJidList?: string;
            allContacts?: boolean;
          };
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SentMessage'] | components['schemas']['SentMessageFlat'];
          };
        };
        400: components['responses']['BadMediaMessage'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        409: components['responses']['InFlight'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        422: components['responses']['KeyMismatch'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        502: components['responses']['BadGateway'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/message/sendList/{instance}": {
    /** Send a list */
    post: {
      parameters: {
        query?: {
          /** `ack`: answer when the platform has taken or refused the message, with `status` SERVER_ACK or later, or ERROR with `code` and `reason`; PENDING when that takes longer than `timeout`. */
          wait?: "ack";
          /** How long `wait` waits, in milliseconds; 10 000 unless it says otherwise. */
          timeout?: number;
        };
        header?: {
          /** Names the request for 24 hours, within this operation of this instance. The same request with the same key takes effect once and gets the first answer again, with the header `idempotency-replayed: true`; the answer is 422 for another body, and 409 while the first request is in progress. A request that certainly took no effect may be repeated under its key; after a crash of the gateway a message still goes out under one id, which its receiver shows once. */
          "idempotency-key"?: string;
        };
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['SendListBody'] | components['schemas']['SendListFlatBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SentMessage'] | components['schemas']['SentMessageFlat'];
          };
        };
        400: components['responses']['BadMessage'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        409: components['responses']['InFlight'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        422: components['responses']['KeyMismatch'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/message/sendButtons/{instance}": {
    /** Send buttons */
    post: {
      parameters: {
        query?: {
          /** `ack`: answer when the platform has taken or refused the message, with `status` SERVER_ACK or later, or ERROR with `code` and `reason`; PENDING when that takes longer than `timeout`. */
          wait?: "ack";
          /** How long `wait` waits, in milliseconds; 10 000 unless it says otherwise. */
          timeout?: number;
        };
        header?: {
          /** Names the request for 24 hours, within this operation of this instance. The same request with the same key takes effect once and gets the first answer again, with the header `idempotency-replayed: true`; the answer is 422 for another body, and 409 while the first request is in progress. A request that certainly took no effect may be repeated under its key; after a crash of the gateway a message still goes out under one id, which its receiver shows once. */
          "idempotency-key"?: string;
        };
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['SendButtonsBody'] | components['schemas']['SendButtonsFlatBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SentMessage'] | components['schemas']['SentMessageFlat'];
          };
        };
        400: components['responses']['BadMediaMessage'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        409: components['responses']['InFlight'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        422: components['responses']['KeyMismatch'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        502: components['responses']['BadGateway'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/message/sendTemplate/{instance}": {
    /** Send a template (not available) */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['SendTemplateBody'] | components['schemas']['SendTemplateFlatBody'];
        };
      };
      responses: {
        400: components['responses']['BadRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        501: components['responses']['NotImplemented'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/message/status/{instance}/{messageId}": {
    /** Get the status of a message */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
          /** Identifier of the message. */
          messageId: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['MessageStatusReport'];
          };
        };
        400: components['responses']['BadQuery'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/chat/sendPresence/{instance}": {
    /** Show presence in a chat */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['SendPresenceBody'] | components['schemas']['SendPresenceFlatBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['PresenceResult'];
          };
        };
        400: components['responses']['BadChatRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/chat/updateMessage/{instance}": {
    /** Edit a sent message */
    put: {
      parameters: {
        query?: never;
        header?: {
          /** Names the request for 24 hours, within this operation of this instance. The same request with the same key takes effect once and gets the first answer again, with the header `idempotency-replayed: true`; the answer is 422 for another body, and 409 while the first request is in progress. A request that certainly took no effect may be repeated under its key; after a crash of the gateway a message still goes out under one id, which its receiver shows once. */
          "idempotency-key"?: string;
        };
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['UpdateMessageBody'];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SentMessage'];
          };
        };
        400: components['responses']['BadEdit'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        409: components['responses']['InFlight'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        422: components['responses']['KeyMismatch'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
    /** Edit a sent message (POST) */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Names the request for 24 hours, within this operation of this instance. The same request with the same key takes effect once and gets the first answer again, with the header `idempotency-replayed: true`; the answer is 422 for another body, and 409 while the first request is in progress. A request that certainly took no effect may be repeated under its key; after a crash of the gateway a message still goes out under one id, which its receiver shows once. */
          "idempotency-key"?: string;
        };
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['UpdateMessageBody'];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SentMessage'];
          };
        };
        400: components['responses']['BadEdit'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        409: components['responses']['InFlight'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        422: components['responses']['KeyMismatch'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/chat/findStatusMessage/{instance}": {
    /** Search message statuses */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['FindStatusMessageBody'];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['StoredStatus'][];
          };
        };
        400: components['responses']['BadRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/chat/findMessages/{instance}": {
    /** Search messages */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['FindMessagesBody'];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['StoredMessages'] | components['schemas']['StoredMessagePage'];
          };
        };
        400: components['responses']['BadRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/chat/fetchHistory/{instance}": {
    /** Request older messages of a chat */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['FetchHistoryBody'];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['FetchedHistory'];
          };
        };
        400: components['responses']['BadSessionRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/chat/fetchProfilePictureUrl/{instance}": {
    /** Get the address of a profile picture */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['NumberBody'];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ProfilePicture'];
          };
        };
        400: components['responses']['BadSessionRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/chat/updateProfileStatus/{instance}": {
    /** Change the profile status text */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['UpdateProfileStatusBody'];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['UpdateResult'];
          };
        };
        400: components['responses']['BadSessionRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/chat/updatePrivacySettings/{instance}": {
    /** Change the privacy settings */
    put: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['UpdatePrivacySettingsBody'] | components['schemas']['PrivacySettings'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['PrivacyResult'];
          };
        };
        400: components['responses']['BadSessionRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
    /** Change the privacy settings (POST) */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['UpdatePrivacySettingsBody'] | components['schemas']['PrivacySettings'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['PrivacyResult'];
          };
        };
        400: components['responses']['BadSessionRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/chat/fetchPrivacySettings/{instance}": {
    /** Get the privacy settings */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['PrivacySettings'];
          };
        };
        400: components['responses']['BadSessionQuery'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/chat/updateProfileName/{instance}": {
    /** Change the profile name */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['UpdateProfileNameBody'];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['UpdateResult'];
          };
        };
        400: components['responses']['BadSessionRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/chat/updateProfilePicture/{instance}": {
    /** Change the profile picture */
    put: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['UpdateProfilePictureBody'];
          "multipart/form-data": {
            /** The picture. */
            file?: Blob;
          };
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['UpdateResult'];
          };
        };
        400: components['responses']['BadPicture'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
    /** Change the profile picture (POST) */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['UpdateProfilePictureBody'];
          "multipart/form-data": {
            /** The picture. */
            file?: Blob;
          };
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['UpdateResult'];
          };
        };
        400: components['responses']['BadPicture'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/chat/removeProfilePicture/{instance}": {
    /** Remove the profile picture */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['UpdateResult'];
          };
        };
        400: components['responses']['BadSessionRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/chat/fetchProfile/{instance}": {
    /** Get a profile */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['FetchProfileBody'];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ShownProfile'];
          };
        };
        400: components['responses']['BadSessionRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/chat/fetchBusinessProfile/{instance}": {
    /** Get a business profile */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['NumberBody'];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['BusinessProfile'];
          };
        };
        400: components['responses']['BadSessionRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/chat/updateBlockStatus/{instance}": {
    /** Block or unblock a contact */
    put: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['UpdateBlockStatusBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['BlockResult'];
          };
        };
        400: components['responses']['BadChatRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
    /** Block or unblock a contact (POST) */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['UpdateBlockStatusBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['BlockResult'];
          };
        };
        400: components['responses']['BadChatRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/message/updateBlockStatus/{instance}": {
    /** Block or unblock a contact (path below /message) */
    put: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['UpdateBlockStatusBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['BlockResult'];
          };
        };
        400: components['responses']['BadChatRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
    /** Block or unblock a contact (path below /message, POST) */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['UpdateBlockStatusBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['BlockResult'];
          };
        };
        400: components['responses']['BadChatRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/chat/whatsappNumbers/{instance}": {
    /** Check numbers */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['NumbersBody'];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['CheckedNumber'][];
          };
        };
        400: components['responses']['BadSessionRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/chat/checkIsWhatsappNumber/{instance}": {
    /** Check numbers (checkIsWhatsappNumber) */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['NumbersBody'];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['CheckedNumber'][];
          };
        };
        400: components['responses']['BadSessionRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/chat/findLids/{instance}": {
    /** Map numbers to LIDs and LIDs to numbers */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['FindLidsBody'];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['FoundLid'][];
          };
        };
        400: components['responses']['BadSessionRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/chat/deleteMessageForEveryone/{instance}": {
    /** Delete a message for everyone */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['DeleteMessageBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SentMessage'];
          };
        };
        400: components['responses']['BadEdit'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/chat/getBase64FromMediaMessage/{instance}": {
    /** Get the file of a message as base64 */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['GetBase64Body'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['MediaBase64'];
          };
        };
        400: components['responses']['BadFile'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        410: components['responses']['Gone'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        502: components['responses']['BadGateway'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/chat/markMessageAsRead/{instance}": {
    /** Mark messages as read */
    put: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['ReadMessagesBody'] | components['schemas']['ReadMessagesFlatBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ReadResult'];
          };
        };
        400: components['responses']['BadChatRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
    /** Mark messages as read (POST) */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['ReadMessagesBody'] | components['schemas']['ReadMessagesFlatBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ReadResult'];
          };
        };
        400: components['responses']['BadChatRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/chat/markChatUnread/{instance}": {
    /** Mark a chat as unread */
    put: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['MarkChatUnreadBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['UnreadResult'];
          };
        };
        400: components['responses']['BadChatRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
    /** Mark a chat as unread (POST) */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['MarkChatUnreadBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['UnreadResult'];
          };
        };
        400: components['responses']['BadChatRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/chat/pinChat/{instance}": {
    /** Pin or unpin a chat */
    put: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['PinChatBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['PinResult'];
          };
        };
        400: components['responses']['BadChatRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
    /** Pin or unpin a chat (POST) */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['PinChatBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['PinResult'];
          };
        };
        400: components['responses']['BadChatRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/chat/muteChat/{instance}": {
    /** Mute or unmute a chat */
    put: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['MuteChatBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['MuteResult'];
          };
        };
        400: components['responses']['BadChatRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
    /** Mute or unmute a chat (POST) */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['MuteChatBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['MuteResult'];
          };
        };
        400: components['responses']['BadChatRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/chat/starMessage/{instance}": {
    /** Star or unstar a message */
    put: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['StarMessageBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['StarResult'];
          };
        };
        400: components['responses']['BadChatRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
    /** Star or unstar a message (POST) */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['StarMessageBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['StarResult'];
          };
        };
        400: components['responses']['BadChatRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/chat/toggleEphemeral/{instance}": {
    /** Set disappearing messages of a chat */
    put: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['ToggleChatEphemeralBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ChatEphemeralResult'];
          };
        };
        400: components['responses']['BadChatRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
    /** Set disappearing messages of a chat (POST) */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['ToggleChatEphemeralBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ChatEphemeralResult'];
          };
        };
        400: components['responses']['BadChatRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/chat/archiveChat/{instance}": {
    /** Archive or unarchive a chat */
    put: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['ArchiveChatBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ArchiveResult'];
          };
        };
        400: components['responses']['BadChatRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
    /** Archive or unarchive a chat (POST) */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['ArchiveChatBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ArchiveResult'];
          };
        };
        400: components['responses']['BadChatRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/chat/findContacts/{instance}": {
    /** Search contacts */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['FindContactsBody'];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ListedContact'][];
          };
        };
        400: components['responses']['BadRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/chat/findChats/{instance}": {
    /** List chats */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ListedChat'][];
          };
        };
        400: components['responses']['BadQuery'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
    /** Search chats */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['FindChatsBody'];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ListedChat'][];
          };
        };
        400: components['responses']['BadRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/chat/findChatByRemoteJid/{instance}": {
    /** Get a chat */
    get: {
      parameters: {
        query: {
          /** Number, JID, LID or user name of the chat. */
          remoteJid: string;
        };
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ListedChat'] | null;
          };
        };
        400: components['responses']['BadQuery'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/group/create/{instance}": {
    /** Create a group */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** Names the request for 24 hours, within this operation of this instance. The same request with the same key takes effect once and gets the first answer again, with the header `idempotency-replayed: true`; the answer is 422 for another body, and 409 while the first request is in progress. A request that certainly took no effect may be repeated under its key; after a crash of the gateway a message still goes out under one id, which its receiver shows once. */
          "idempotency-key"?: string;
        };
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['CreateGroupBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['GroupRecord'];
          };
        };
        400: components['responses']['BadGroupPicture'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        409: components['responses']['InFlight'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        422: components['responses']['KeyMismatch'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/group/findGroupInfos/{instance}": {
    /** Get a group */
    get: {
      parameters: {
        query: {
          /** Identifier of the group; `@g.us` may be left out. Operations with a body also take it from there. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['GroupRecord'];
          };
        };
        400: components['responses']['BadGroupQuery'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/group/fetchAllGroups/{instance}": {
    /** List groups */
    get: {
      parameters: {
        query: {
          /** Whether each record lists its participants. */
          getParticipants: boolean;
        };
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['GroupRecord'][];
          };
        };
        400: components['responses']['BadGroupQuery'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/group/updateParticipant/{instance}": {
    /** Change the participants of a group */
    put: {
      parameters: {
        query: {
          /** Identifier of the group; `@g.us` may be left out. Operations with a body also take it from there. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['UpdateParticipantBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ParticipantsResult'];
          };
        };
        400: components['responses']['BadGroupRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
    /** Change the participants of a group (POST) */
    post: {
      parameters: {
        query: {
          /** Identifier of the group; `@g.us` may be left out. Operations with a body also take it from there. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['UpdateParticipantBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ParticipantsResult'];
          };
        };
        400: components['responses']['BadGroupRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/group/updateSetting/{instance}": {
    /** Set who may send and edit in a group */
    put: {
      parameters: {
        query: {
          /** Identifier of the group; `@g.us` may be left out. Operations with a body also take it from there. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['UpdateSettingBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['EmptyResult'];
          };
        };
        400: components['responses']['BadGroupRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
    /** Set who may send and edit in a group (POST) */
    post: {
      parameters: {
        query: {
          /** Identifier of the group; `@g.us` may be left out. Operations with a body also take it from there. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['UpdateSettingBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['EmptyResult'];
          };
        };
        400: components['responses']['BadGroupRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/group/toggleEphemeral/{instance}": {
    /** Set disappearing messages of a group */
    put: {
      parameters: {
        query: {
          /** Identifier of the group; `@g.us` may be left out. Operations with a body also take it from there. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['ToggleEphemeralBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SuccessResult'];
          };
        };
        400: components['responses']['BadGroupRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
    /** Set disappearing messages of a group (POST) */
    post: {
      parameters: {
        query: {
          /** Identifier of the group; `@g.us` may be left out. Operations with a body also take it from there. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['ToggleEphemeralBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SuccessResult'];
          };
        };
        400: components['responses']['BadGroupRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/group/updateGroupDescription/{instance}": {
    /** Change the description of a group */
    put: {
      parameters: {
        query: {
          /** Identifier of the group; `@g.us` may be left out. Operations with a body also take it from there. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['GroupDescriptionBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['UpdateResult'];
          };
        };
        400: components['responses']['BadGroupRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
    /** Change the description of a group (POST) */
    post: {
      parameters: {
        query: {
          /** Identifier of the group; `@g.us` may be left out. Operations with a body also take it from there. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['GroupDescriptionBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['UpdateResult'];
          };
        };
        400: components['responses']['BadGroupRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/group/updateGroupPicture/{instance}": {
    /** Change the picture of a group */
    put: {
      parameters: {
        query: {
          /** Identifier of the group; `@g.us` may be left out. Operations with a body also take it from there. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['GroupPictureBody'];
          "multipart/form-data": {
            /** The file; it wins over a source named in a field. */
            file?: Blob;
          };
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['UpdateResult'];
          };
        };
        400: components['responses']['BadGroupPicture'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
    /** Change the picture of a group (POST) */
    post: {
      parameters: {
        query: {
          /** Identifier of the group; `@g.us` may be left out. Operations with a body also take it from there. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['GroupPictureBody'];
          "multipart/form-data": {
            /** The file; it wins over a source named in a field. */
            file?: Blob;
          };
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['UpdateResult'];
          };
        };
        400: components['responses']['BadGroupPicture'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/group/updateGroupSubject/{instance}": {
    /** Change the name of a group */
    put: {
      parameters: {
        query: {
          /** Identifier of the group; `@g.us` may be left out. Operations with a body also take it from there. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['GroupSubjectBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['UpdateResult'];
          };
        };
        400: components['responses']['BadGroupRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
    /** Change the name of a group (POST) */
    post: {
      parameters: {
        query: {
          /** Identifier of the group; `@g.us` may be left out. Operations with a body also take it from there. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['GroupSubjectBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['UpdateResult'];
          };
        };
        400: components['responses']['BadGroupRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/group/inviteCode/{instance}": {
    /** Get the invite link of a group */
    get: {
      parameters: {
        query: {
          /** Identifier of the group; `@g.us` may be left out. Operations with a body also take it from there. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['InviteResult'];
          };
        };
        400: components['responses']['BadGroupQuery'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/group/acceptInviteCode/{instance}": {
    /** Join a group by its invite code */
    get: {
      parameters: {
        query: {
          /** Code from an invite link, or the link. */
          inviteCode: string;
        };
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['AcceptInviteResult'];
          };
        };
        400: components['responses']['BadGroupQuery'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/group/inviteInfo/{instance}": {
    /** Preview a group by its invite code */
    get: {
      parameters: {
        query?: {
          /** Code from an invite link, or the link. Optional in the interface; without it the answer is 400. */
          inviteCode?: string;
        };
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['GroupRecord'];
          };
        };
        400: components['responses']['BadGroupQuery'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/group/participants/{instance}": {
    /** List the members of a group */
    get: {
      parameters: {
        query: {
          /** Identifier of the group; `@g.us` may be left out. Operations with a body also take it from there. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['GroupMembers'];
          };
        };
        400: components['responses']['BadGroupQuery'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/group/sendInvite/{instance}": {
    /** Send the invite link of a group */
    post: {
      parameters: {
        query: {
          /** Identifier of the group; `@g.us` may be left out. Operations with a body also take it from there. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['SendInviteBody'];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SentInvite'];
          };
        };
        400: components['responses']['BadGroupRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/group/revokeInviteCode/{instance}": {
    /** Replace the invite link of a group */
    put: {
      parameters: {
        query: {
          /** Identifier of the group; `@g.us` may be left out. Operations with a body also take it from there. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['RevokedInvite'];
          };
        };
        400: components['responses']['BadGroupRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
    /** Replace the invite link of a group (POST) */
    post: {
      parameters: {
        query: {
          /** Identifier of the group; `@g.us` may be left out. Operations with a body also take it from there. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['RevokedInvite'];
          };
        };
        400: components['responses']['BadGroupRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/group/leaveGroup/{instance}": {
    /** Leave a group */
    delete: {
      parameters: {
        query: {
          /** Identifier of the group; `@g.us` may be left out. Operations with a body also take it from there. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['LeftGroup'];
          };
        };
        400: components['responses']['BadGroupRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/group/joinRequests/{instance}": {
    /** List requests to join a group */
    get: {
      parameters: {
        query: {
          /** Identifier of the group; `@g.us` may be left out. Operations with a body also take it from there. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['JoinRequests'];
          };
        };
        400: components['responses']['BadGroupQuery'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/group/updateJoinRequests/{instance}": {
    /** Approve or reject requests to join a group */
    put: {
      parameters: {
        query: {
          /** Identifier of the group; `@g.us` may be left out. Operations with a body also take it from there. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['JoinDecisionBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ParticipantsResult'];
          };
        };
        400: components['responses']['BadGroupRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
    /** Approve or reject requests to join a group (POST) */
    post: {
      parameters: {
        query: {
          /** Identifier of the group; `@g.us` may be left out. Operations with a body also take it from there. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['JoinDecisionBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ParticipantsResult'];
          };
        };
        400: components['responses']['BadGroupRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/group/updateMemberAddMode/{instance}": {
    /** Set who may add members to a group */
    put: {
      parameters: {
        query: {
          /** Identifier of the group; `@g.us` may be left out. Operations with a body also take it from there. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['MemberAddModeBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SuccessResult'];
          };
        };
        400: components['responses']['BadGroupRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
    /** Set who may add members to a group (POST) */
    post: {
      parameters: {
        query: {
          /** Identifier of the group; `@g.us` may be left out. Operations with a body also take it from there. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['MemberAddModeBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SuccessResult'];
          };
        };
        400: components['responses']['BadGroupRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/group/updateJoinApprovalMode/{instance}": {
    /** Set whether admins approve new members of a group */
    put: {
      parameters: {
        query: {
          /** Identifier of the group; `@g.us` may be left out. Operations with a body also take it from there. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['JoinApprovalModeBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SuccessResult'];
          };
        };
        400: components['responses']['BadGroupRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
    /** Set whether admins approve new members of a group (POST) */
    post: {
      parameters: {
        query: {
          /** Identifier of the group; `@g.us` may be left out. Operations with a body also take it from there. */
          groupJid: string;
        };
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['JoinApprovalModeBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SuccessResult'];
          };
        };
        400: components['responses']['BadGroupRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/channel/create/{instance}": {
    /** Create a channel */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['CreateChannelBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ChannelRecord'];
          };
        };
        400: components['responses']['BadChannelRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/channel/update/{instance}": {
    /** Change the name, description or picture of a channel */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['UpdateChannelBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ChannelRecord'];
          };
        };
        400: components['responses']['BadChannelPicture'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/channel/findChannelInfos/{instance}": {
    /** Get a channel */
    get: {
      parameters: {
        query: {
          /** JID of the channel, its link, or the code in the link. */
          channel: string;
        };
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ChannelRecord'];
          };
        };
        400: components['responses']['BadChannelQuery'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/channel/fetchAllChannels/{instance}": {
    /** List channels */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ChannelList'];
          };
        };
        400: components['responses']['BadChannelQuery'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/channel/follow/{instance}": {
    /** Follow a channel */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['ChannelBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ChannelRecord'];
          };
        };
        400: components['responses']['BadChannelRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/channel/unfollow/{instance}": {
    /** Unfollow a channel */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['ChannelBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ChannelChange'];
          };
        };
        400: components['responses']['BadChannelRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/channel/mute/{instance}": {
    /** Mute or unmute a channel */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['MuteChannelBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ChannelChange'];
          };
        };
        400: components['responses']['BadChannelRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/channel/fetchMessages/{instance}": {
    /** List the posts of a channel */
    get: {
      parameters: {
        query: {
          /** JID of the channel, its link, or the code in the link. */
          channel: string;
          /** How many posts. Default 50. */
          count?: number;
          /** Only posts before the one with this `serverId`. */
          before?: string;
        };
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ChannelPosts'];
          };
        };
        400: components['responses']['BadChannelQuery'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/channel/delete/{instance}": {
    /** Delete a channel */
    delete: {
      parameters: {
        query: {
          /** JID of the channel, its link, or the code in the link. */
          channel: string;
        };
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ChannelChange'];
          };
        };
        400: components['responses']['BadChannelRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/label/findLabels/{instance}": {
    /** List labels */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['Labels'];
          };
        };
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/label/handleLabel/{instance}": {
    /** Add or remove a label of a chat */
    put: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['HandleLabelBody'];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['LabelResult'];
          };
        };
        400: components['responses']['BadSessionRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
    /** Add or remove a label of a chat (POST) */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['HandleLabelBody'];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['LabelResult'];
          };
        };
        400: components['responses']['BadSessionRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/settings/set/{instance}": {
    /** Change the settings of an instance */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['SetSettingsBody'] | components['schemas']['SetSettingsSnakeBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SettingsEcho'];
          };
        };
        400: components['responses']['BadRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/settings/find/{instance}": {
    /** Get the settings of an instance */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['SettingsRecord'];
          };
        };
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/proxy/set/{instance}": {
    /** Set the proxy of an instance */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['SetProxyBody'] | components['schemas']['SetProxyFlatBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ProxyEcho'];
          };
        };
        400: components['responses']['BadProxy'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/proxy/find/{instance}": {
    /** Get the proxy of an instance */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['ProxyConfig'];
          };
        };
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/call/offer/{instance}": {
    /** Place a call (not available) */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['OfferCallBody'];
        };
      };
      responses: {
        400: components['responses']['BadRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        501: components['responses']['NotImplemented'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/websocket/set/{instance}": {
    /** Set the events for socket.io clients */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['WebsocketBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['WebsocketEcho'];
          };
        };
        400: components['responses']['BadRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/websocket/find/{instance}": {
    /** Get the events for socket.io clients */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['WebsocketConfig'];
          };
        };
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/rabbitmq/set/{instance}": {
    /** Set the RabbitMQ transport (not available) */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['TransportBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['TransportEcho'];
          };
        };
        400: components['responses']['BadRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/rabbitmq/find/{instance}": {
    /** Get the RabbitMQ transport (not available) */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['TransportRecord'];
          };
        };
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/sqs/set/{instance}": {
    /** Set the SQS transport (not available) */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['TransportBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['TransportEcho'];
          };
        };
        400: components['responses']['BadRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/sqs/find/{instance}": {
    /** Get the SQS transport (not available) */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['TransportRecord'];
          };
        };
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/nats/set/{instance}": {
    /** Set the NATS transport (not available) */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['TransportBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['TransportEcho'];
          };
        };
        400: components['responses']['BadRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/nats/find/{instance}": {
    /** Get the NATS transport (not available) */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['TransportRecord'];
          };
        };
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/kafka/set/{instance}": {
    /** Set the Kafka transport (not available) */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['TransportBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['TransportEcho'];
          };
        };
        400: components['responses']['BadRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/kafka/find/{instance}": {
    /** Get the Kafka transport (not available) */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['TransportRecord'];
          };
        };
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/pusher/set/{instance}": {
    /** Set the Pusher transport (not available) */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['TransportBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['TransportEcho'];
          };
        };
        400: components['responses']['BadRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/pusher/find/{instance}": {
    /** Get the Pusher transport (not available) */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['TransportRecord'];
          };
        };
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/media/{instance}/{messageId}": {
    /** Download the file of a message */
    get: {
      parameters: {
        query?: {
          /** The chat, for the case that two hold a message of this identifier. Without it, the one stored last. */
          remoteJid?: string;
          /** Of a signed link: until when it is good, in seconds since the epoch. */
          expires?: string;
          /** Of a signed link. */
          signature?: string;
        };
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
          /** Identifier of the message. */
          messageId: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "*/*": Blob;
          };
        };
        400: components['responses']['BadSessionQuery'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['LinkRefused'];
        404: components['responses']['NotFound'];
        410: components['responses']['Gone'];
        413: components['responses']['FileTooLarge'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        502: components['responses']['FileUnusable'];
        503: components['responses']['Unavailable'];
        504: components['responses']['GatewayTimeout'];
      };
    };
  };
  "/webhook/find/{instance}": {
    /** Get the webhook of an instance */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['WebhookConfig'];
          };
        };
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/webhook/set/{instance}": {
    /** Set the webhook of an instance */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['SetWebhookBody'] | components['schemas']['SetWebhookFlatBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['WebhookConfig'] | components['schemas']['WebhookEcho'];
          };
        };
        400: components['responses']['BadWebhook'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/webhook/endpoints/{instance}": {
    /** List the webhooks of an instance */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['WebhookEndpoints'];
          };
        };
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
    /** Add a webhook to an instance */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['WebhookEndpointInput'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['WebhookEndpoint'];
          };
        };
        400: components['responses']['BadNewWebhook'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/webhook/endpoints/{instance}/{id}": {
    /** Change a webhook */
    put: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
          /** Id of the webhook. */
          id: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['WebhookEndpointInput'];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['WebhookEndpoint'];
          };
        };
        400: components['responses']['BadWebhook'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
    /** Change a webhook (POST) */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
          /** Id of the webhook. */
          id: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['WebhookEndpointInput'];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['WebhookEndpoint'];
          };
        };
        400: components['responses']['BadWebhook'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
    /** Remove a webhook */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
          /** Id of the webhook. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['RemovedWebhook'];
          };
        };
        400: components['responses']['BadRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/webhook/rotate/{instance}": {
    /** Rotate the signing secret of a webhook */
    post: {
      parameters: {
        query?: {
          /** Id of the webhook; the one of webhook/set when absent. */
          endpoint?: string;
        };
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: {
        content: {
          "application/json": components['schemas']['RotateBody'];
        };
      };
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['RotatedSecret'];
          };
        };
        400: components['responses']['BadRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/webhook/test/{instance}": {
    /** Send a test event to a webhook */
    post: {
      parameters: {
        query?: {
          /** Id of the webhook; the one of webhook/set when absent. */
          endpoint?: string;
        };
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['WebhookTestResult'];
          };
        };
        400: components['responses']['BadWebhook'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/webhook/global": {
    /** Get the global webhook */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['WebhookEndpoint'];
          };
        };
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/webhook/global/test": {
    /** Send a test event to the global webhook */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['WebhookTestResult'];
          };
        };
        400: components['responses']['BadWebhook'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/webhook/deliveries/{instance}": {
    /** List deliveries and the health of receivers */
    get: {
      parameters: {
        query?: {
          /** Only these. All when absent. */
          state?: "waiting" | "delivered" | "dead";
          /** Only those to the webhook of this id. */
          endpoint?: string;
          /** Deliveries in one answer; 50 when absent. */
          limit?: number;
          /** `next` of the answer before. */
          cursor?: string;
        };
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['Deliveries'];
          };
        };
        400: components['responses']['BadQuery'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/webhook/replay/{instance}": {
    /** Replay events */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['ReplayBody'];
        };
      };
      responses: {
        202: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['Replayed'];
          };
        };
        400: components['responses']['BadRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/keys": {
    /** List keys */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['KeyList'];
          };
        };
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
    /** Create a key */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['CreateKeyBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['CreatedKey'];
          };
        };
        400: components['responses']['BadRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/keys/{id}": {
    /** Revoke a key */
    delete: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** The `id` of a key. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['RevokedKey'];
          };
        };
        400: components['responses']['BadRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/keys/{id}/rotate": {
    /** Rotate a key */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** The `id` of a key. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: {
        content: {
          "application/json": components['schemas']['RotateKeyBody'];
        };
      };
      responses: {
        201: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['RotatedKey'];
          };
        };
        400: components['responses']['BadRequest'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        413: components['responses']['PayloadTooLarge'];
        415: components['responses']['UnsupportedMediaType'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/audit": {
    /** List audit entries */
    get: {
      parameters: {
        query?: {
          /** `next` of the answer before. Without it, from the oldest entry that is kept. */
          after?: string;
          /** Entries in one answer; 100 when absent. */
          limit?: number;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['AuditPage'];
          };
        };
        400: components['responses']['BadQuery'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
  "/events/{instance}": {
    /** Read or stream events */
    get: {
      parameters: {
        query?: {
          /** Cursor behind which to read: `next` or `id`. Without it, from the oldest event that is kept; `latest`: only what happens from now on. */
          after?: string;
          /** Events in one answer; 100 when absent. Fewer, even none, do not mean that it was the last; the same `next` as before does. */
          limit?: number;
          /** Only these events, separated by commas, in either form of the name. */
          types?: string;
        };
        header?: {
          /** Streams only. Wins over `after`. */
          "last-event-id"?: string;
        };
        path: {
          /** Name of the instance. */
          instance: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        200: {
          headers: { [name: string]: unknown };
          content: {
            "application/json": components['schemas']['EventPage'];
            "text/event-stream": string;
          };
        };
        400: components['responses']['BadQuery'];
        401: components['responses']['Unauthorized'];
        403: components['responses']['Forbidden'];
        404: components['responses']['NotFound'];
        410: components['responses']['CursorExpired'];
        429: components['responses']['TooManyRequests'];
        500: components['responses']['InternalError'];
        503: components['responses']['Unavailable'];
      };
    };
  };
}

export interface webhooks {
  "qrcode.updated": {
    /** A QR or pairing code is ready */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** Seconds since the epoch of this attempt; refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['QrcodeUpdatedEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "connection.update": {
    /** The connection changed */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** Seconds since the epoch of this attempt; refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['ConnectionUpdateEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "messages.upsert": {
    /** A message arrived */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** Seconds since the epoch of this attempt; refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['MessagesUpsertEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "messages.update": {
    /** A message reached a status */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** Seconds since the epoch of this attempt; refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['MessagesUpdateEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "send.message": {
    /** A message was sent */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** Seconds since the epoch of this attempt; refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['SendMessageEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "send.message.update": {
    /** A sent message was edited through the gateway */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** Seconds since the epoch of this attempt; refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['SendMessageUpdateEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "messages.edited": {
    /** A message was edited */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** Seconds since the epoch of this attempt; refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['MessagesEditedEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "messages.delete": {
    /** A message was deleted */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** Seconds since the epoch of this attempt; refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['MessagesDeleteEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "presence.update": {
    /** The presence in a chat changed */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** Seconds since the epoch of this attempt; refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['PresenceUpdateEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "contacts.upsert": {
    /** Contacts were added */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** Seconds since the epoch of this attempt; refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['ContactsUpsertEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "contacts.update": {
    /** Contacts changed */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** Seconds since the epoch of this attempt; refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['ContactsUpdateEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "messages.set": {
    /** Past messages arrived */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** Seconds since the epoch of this attempt; refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['MessagesSetEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "chats.set": {
    /** Past chats arrived */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** Seconds since the epoch of this attempt; refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['ChatsSetEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "chats.upsert": {
    /** A chat began */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** Seconds since the epoch of this attempt; refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['ChatsUpsertEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "chats.update": {
    /** A chat was changed */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** Seconds since the epoch of this attempt; refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['ChatsUpdateEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "chats.delete": {
    /** Chats were deleted */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** Seconds since the epoch of this attempt; refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['ChatsDeleteEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "labels.edit": {
    /** A label was changed */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** Seconds since the epoch of this attempt; refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['LabelsEditEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "labels.association": {
    /** A label was added or removed */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** Seconds since the epoch of this attempt; refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['LabelsAssociationEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "messages.undecryptable": {
    /** A message could not be decrypted */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** Seconds since the epoch of this attempt; refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['MessagesUndecryptableEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "logout.instance": {
    /** The link was removed */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** Seconds since the epoch of this attempt; refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['LogoutInstanceEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "remove.instance": {
    /** The instance was deleted */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** Seconds since the epoch of this attempt; refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['RemoveInstanceEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "groups.upsert": {
    /** A group was created or joined */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** Seconds since the epoch of this attempt; refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['GroupsUpsertEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "groups.update": {
    /** A group changed */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** Seconds since the epoch of this attempt; refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['GroupsUpdateEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "group-participants.update": {
    /** Members of a group changed */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** Seconds since the epoch of this attempt; refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['GroupParticipantsUpdateEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "group.join-request": {
    /** A request to join a group changed */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** Seconds since the epoch of this attempt; refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['GroupJoinRequestEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  call: {
    /** A call changed its state */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** Seconds since the epoch of this attempt; refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['CallEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "status.instance": {
    /** The connection ended permanently */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** Seconds since the epoch of this attempt; refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['StatusInstanceEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "instance.restricted": {
    /** The account is restricted, or no longer */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** Seconds since the epoch of this attempt; refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['InstanceRestrictedEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "history.progress": {
    /** The history transfer progressed */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** Seconds since the epoch of this attempt; refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['HistoryProgressEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "instance.create": {
    /** The instance was created */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** Seconds since the epoch of this attempt; refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['InstanceCreateEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "instance.delete": {
    /** The instance is being deleted */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** Seconds since the epoch of this attempt; refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['InstanceDeleteEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "application.startup": {
    /** The gateway started */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Number of the event, the same on every attempt. It rises with every event of an instance, so that a receiver can put events of several chats into the order in which they happened; numbers in between may belong to other instances. */
          "webhook-seq": string;
          /** Seconds since the epoch of this attempt; refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['ApplicationStartupEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
  "webhook.test": {
    /** A test of the webhook */
    post: {
      parameters: {
        query?: never;
        header: {
          /** Names the event; the same on every attempt and after a restart. Posts are delivered at least once, so drop an id that was seen before. Events of one chat arrive in order; chats do not wait for each other. */
          "webhook-id": string;
          /** Seconds since the epoch of this attempt; refuse posts that are much older than five minutes. */
          "webhook-timestamp": string;
          /** Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` with the secret shown by webhook/find. While a secret is replaced (webhook/rotate), two follow each other, separated by a space; one match is enough. */
          "webhook-signature": string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          "application/json": components['schemas']['WebhookTestEvent'];
        };
      };
      responses: {
        "2XX": components['responses']['Received'];
      };
    };
  };
}

export interface components {
  schemas: {
    /** The one error envelope. `response.message` is a string for 401, for 5xx and for a body that cannot be read, otherwise an array. */
    ErrorBody: {
      /** Equals the HTTP status. */
      status: number;
      /** Title of the status, in the words existing clients know. */
      error: string;
      response: {
        /** Text; or an array of texts, of objects that name a property, or of lists of validation texts. */
        message: unknown;
      };
      /** Stable code to branch on (superset of the interface). */
      code: string;
      /** Also in the header x-request-id (superset of the interface). */
      requestId: string;
      /** Sends only. True: nothing was sent. False: the outcome is unknown. */
      certain?: boolean;
      /** Id under which an uncertain send may still arrive. */
      messageId?: string;
    };
    /** Connection state of an instance. */
    PublicState: "open" | "connecting" | "close";
    /** Delivery status, lowest to highest; ERROR ends a message that the platform never accepted, DELETED one that was deleted for everyone. */
    MessageStatus: "ERROR" | "PENDING" | "SERVER_ACK" | "DELIVERY_ACK" | "READ" | "PLAYED" | "DELETED";
    /** What a chat partner is shown. */
    Presence: "unavailable" | "available" | "composing" | "recording" | "paused";
    /** Name to subscribe to. GROUP_UPDATE and GROUPS_UPDATE are the same event. Names of events this gateway does not have are accepted, so that existing subscriptions stay valid, and never occur: CONTACTS_SET, TYPEBOT_START, TYPEBOT_CHANGE_STATUS, CHAMA_AI_ACTION, NEW_JWT_TOKEN. */
    EventName: "APPLICATION_STARTUP" | "QRCODE_UPDATED" | "CONNECTION_UPDATE" | "MESSAGES_SET" | "HISTORY_PROGRESS" | "MESSAGES_UPSERT" | "MESSAGES_EDITED" | "MESSAGES_UPDATE" | "MESSAGES_DELETE" | "MESSAGES_UNDECRYPTABLE" | "SEND_MESSAGE" | "SEND_MESSAGE_UPDATE" | "CONTACTS_SET" | "CONTACTS_UPSERT" | "CONTACTS_UPDATE" | "PRESENCE_UPDATE" | "CHATS_SET" | "CHATS_UPSERT" | "CHATS_UPDATE" | "CHATS_DELETE" | "GROUPS_UPSERT" | "GROUP_UPDATE" | "GROUPS_UPDATE" | "GROUP_PARTICIPANTS_UPDATE" | "GROUP_JOIN_REQUEST" | "LABELS_EDIT" | "LABELS_ASSOCIATION" | "CALL" | "TYPEBOT_START" | "TYPEBOT_CHANGE_STATUS" | "NEW_JWT_TOKEN" | "CHAMA_AI_ACTION" | "REMOVE_INSTANCE" | "LOGOUT_INSTANCE" | "INSTANCE_CREATE" | "INSTANCE_DELETE" | "INSTANCE_RESTRICTED" | "STATUS_INSTANCE";
    /** Which message, in which chat, from which side. */
    MessageKey: {
      /** The chat, in phone-number form when the number is known, else the LID (`…@lid`). */
      remoteJid: string;
      /** True when sent by the instance or its phone. */
      fromMe: boolean;
      /** Message identifier; unique within a chat. */
      id: string;
      /** Sender inside a group. */
      participant?: string;
      /** LID of the chat partner, when known (superset of the interface). */
      remoteJidAlt?: string;
      /** LID of the participant, when known (superset of the interface). */
      participantAlt?: string;
      /** User name of the chat partner, when the platform sent it (superset of the interface). */
      remoteJidUsername?: string;
      /** User name of the participant, when the platform sent it (superset of the interface). */
      participantUsername?: string;
    };
    /** One content object, named after the kind. 64-bit integers are strings, bytes are base64 strings. */
    MessageContent: {
      /** Plain text (flat dialect and received messages). */
      conversation?: string;
      /** Signed link to the file of the message (events and searches; GET /media). */
      mediaUrl?: string;
      /** The file itself, in events of webhooks with the base64 option. */
      base64?: string;
      /** Why `base64` is missing there: a code of the errors, or TIMEOUT, BUSY. */
      base64Error?: string;
      extendedTextMessage?: {
        /** The text of the message. */
        text?: string;
      } & { [name: string]: unknown };
      audioMessage?: {
        url?: string;
        /** The MIME type of the file. */
        mimetype?: string;
        fileSha256?: string;
        /** The size of the file in bytes. */
        fileLength?: string;
        /** The length in seconds. */
        seconds?: number;
        /** True for a voice note. */
        ptt?: boolean;
        mediaKey?: string;
        fileEncSha256?: string;
        directPath?: string;
        mediaKeyTimestamp?: string;
      } & { [name: string]: unknown };
      locationMessage?: {
        /** The latitude in degrees. */
        degreesLatitude?: number;
        /** The longitude in degrees. */
        degreesLongitude?: number;
        /** The name of the place. */
        name?: string;
        /** The address of the place. */
        address?: string;
        contextInfo?: { [name: string]: unknown };
      } & { [name: string]: unknown };
    } & { [name: string]: unknown };
    /** A part of a request that a send left out. */
    SendWarning: {
      /** `QUOTE_NOT_FOUND`: the quoted message is not known or is deleted, and no content came with it. */
      code: "QUOTE_NOT_FOUND";
      /** The field of the request. */
      field: string;
      /** What happened and what to do. */
      message: string;
    };
    /** Result of a send, in the interface's form. */
    SentMessage: {
      key: components['schemas']['MessageKey'];
      message: components['schemas']['MessageContent'];
      /** Seconds since the epoch, as a string. */
      messageTimestamp: string;
      status: components['schemas']['MessageStatus'];
      /** With `wait=ack` and ERROR: the platform's code (superset of the interface). */
      code?: string;
      /** The same in a word. */
      reason?: string;
      /** What was left out of what was asked for. Absent when nothing was (superset of the interface). */
      warnings?: components['schemas']['SendWarning'][];
    };
    /** Phone number with country code, the identifier of a user (`…@s.whatsapp.net`, `…@lid`) or group, or a user name (`@name`, or `@name:key` when the person gives a key to those who may write first); of a channel for what channels take. */
    Recipient: string;
    /** A change that succeeded. */
    UpdateResult: {
      update: string;
    };
    /** What links a phone to the instance. */
    QrCode: {
      /** Code to type on the phone; null unless a number was given. */
      pairingCode: string | null;
      /** Text of the QR. */
      code: string;
      /** The QR as a PNG data URL, `data:image/png;base64,…`. */
      base64: string;
      /** How many QRs were shown so far, this one included. */
      count: number;
    };
    /** The key is good. */
    ValidCredentials: {
      status: number;
      message: string;
      /** What the key is for; the global key and those of instances have all of them. */
      scopes: components['schemas']['KeyScope'][];
      /** The one instance that the key opens, by name; null when it opens all. */
      instance: string | null;
    };
    /** Service information. Addresses that are switched off are left out. */
    ServiceInfo: {
      status: number;
      message: string;
      /** Version of the interface this gateway speaks; clients choose their dialect by it. */
      version: string;
      /** Address of the documentation page. */
      swagger?: string;
      /** Address of the manager page. */
      manager?: string;
      /** Address of the contract. */
      documentation: string;
      /** Superset of the interface. */
      clientName?: string;
      /** Version of this program (superset of the interface). */
      gatewayVersion?: string;
    };
    /** The contract as JSON. */
    OpenApiDocument: { [name: string]: unknown };
    /** The process answers. */
    Liveness: {
      status: "ok";
    };
    /** What is needed to take traffic, and whether it is there. */
    Readiness: {
      status: "ok" | "unavailable";
      checks: {
        /** The database answers and takes writes. */
        storage: boolean;
        /** All instances are loaded (not necessarily connected). */
        instances: boolean;
        /** The process is neither overloaded nor about to stop. */
        load: boolean;
      };
      /** What is missing, in sentences; absent when nothing is. */
      reasons?: string[];
    };
    /** The processes that share a database, and how the instances are spread over them. */
    ClusterRecord: {
      /** Whether there can be other nodes. */
      enabled: boolean;
      /** The node that answers; null when there can be no other. */
      node: {
        /** Of this process; another one after a restart. */
        id: string;
        /** `NODE_NAME`, or host name and port; stays over restarts. */
        name: string;
        /** Address under which other nodes reach it. */
        url: string;
      } | null;
      /** Oldest first. */
      nodes: components['schemas']['ClusterNodeRecord'][];
      /** Of all nodes, and those that no node has at the moment. */
      instances: number;
      /** Instances that no node has, or one that is silent: the next that looks takes them. */
      orphans: number;
      /** Seconds without a sign of life after which a node counts as silent, `LEASE_TTL`; 0 without a cluster. */
      leaseTtl: number;
    };
    /** One process, as of its last sign of life. */
    ClusterNodeRecord: {
      id: string;
      name: string;
      url: string;
      version: string;
      /** The time of the start. */
      startedAt: string;
      /** `draining`: it is being stopped and gives its instances away. `silent`: others take its instances; a node that is silent for long is forgotten. */
      state: "live" | "draining" | "silent";
      /** Milliseconds since its last sign of life. */
      silentFor: number;
      /** Instances it has. */
      instances: number;
      /** Most instances that it takes, `NODE_CAPACITY`; 0: any number. */
      capacity: number;
    };
    /** How much is logged; each level has the graver ones in it. */
    LogLevel: {
      level: "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";
    };
    /** Behavior of an instance; every field may also be given at the top level or in snake_case. */
    CreateSettings: {
      /** Whether incoming calls are rejected. */
      rejectCall?: boolean;
      /** Text sent to a caller who is rejected. */
      msgCall?: string;
      /** Whether events of groups are omitted. */
      groupsIgnore?: boolean;
      /** Whether the account is shown as online while it is connected. */
      alwaysOnline?: boolean;
      /** Whether incoming messages are marked as read. */
      readMessages?: boolean;
      /** Whether statuses of contacts are reported and marked as seen. */
      readStatus?: boolean;
      /** Whether the phone is asked for its whole history at the next link. */
      syncFullHistory?: boolean;
      /** Whether posts of followed channels are reported. */
      readChannels?: boolean;
    };
    /** Webhook of a new instance; enabled unless it says otherwise. */
    CreateWebhook: {
      /** Whether the webhook is enabled. */
      enabled?: boolean;
      /** The address of the webhook. */
      url?: string;
      /** Sent with every post. Those that the gateway sets itself are accepted and not sent: `content-type` with application/json, `content-encoding` with identity, `host` with the host of `url`, and with any value `content-length`, `connection`, `keep-alive`, `proxy-connection`, `te`, `trailer`, `transfer-encoding`, `upgrade` and `expect`. Other values of the first three, `webhook-…` and other `proxy-…` answer 400. */
      headers?: { [name: string]: string };
      /** Whether the name of the event is appended to the address. */
      byEvents?: boolean;
      /** Whether posts contain the files of their messages as base64. */
      base64?: boolean;
      /** Whether the name of the event is appended to the address. */
      webhookByEvents?: boolean;
      /** Whether posts contain the files of their messages as base64. */
      webhookBase64?: boolean;
      /** The names of the subscribed events. */
      events?: components['schemas']['EventName'][];
    };
    /** One superset of the three forms clients send: nested objects, flat camelCase and flat snake_case. Fields of integrations this gateway does not have are ignored. */
    CreateInstanceBody: {
      /** Any characters but slashes and control characters. */
      instanceName: string;
      /** Kind of session; the only one there is. */
      integration?: "WHATSAPP-BAILEYS";
      /** Key of the instance, at least 16 characters unless the operator set WEAK_TOKENS; made by the gateway when missing or empty. */
      token?: string;
      /** Phone number with country code; asks for a pairing code. */
      number?: string;
      /** True starts linking and waits for the first QR. */
      qrcode?: boolean;
      settings?: components['schemas']['CreateSettings'];
      /** Whether incoming calls are rejected. */
      rejectCall?: boolean;
      /** Whether incoming calls are rejected. */
      reject_call?: boolean;
      /** The text that is sent to callers; empty sends none. */
      msgCall?: string;
      /** The text that is sent to callers; empty sends none. */
      msg_call?: string;
      /** Whether events of groups are omitted. */
      groupsIgnore?: boolean;
      /** Whether events of groups are omitted. */
      groups_ignore?: boolean;
      /** Whether the account is shown as online while it is connected. */
      alwaysOnline?: boolean;
      /** Whether the account is shown as online while it is connected. */
      always_online?: boolean;
      /** Whether incoming messages are marked as read. */
      readMessages?: boolean;
      /** Whether incoming messages are marked as read. */
      read_messages?: boolean;
      /** Whether statuses of contacts are reported and marked as seen. */
      readStatus?: boolean;
      /** Whether statuses of contacts are reported and marked as seen. */
      read_status?: boolean;
      /** Whether the phone is asked for its whole history at the next link. */
      syncFullHistory?: boolean;
      /** Whether the phone is asked for its whole history at the next link. */
      sync_full_history?: boolean;
      /** Whether posts of followed channels are reported. */
      readChannels?: boolean;
      /** Whether posts of followed channels are reported. */
      read_channels?: boolean;
      /** The nested form, or the address alone (older form). */
      webhook?: components['schemas']['CreateWebhook'] | string;
      proxy?: components['schemas']['ProxyInput'];
      /** The host of the proxy. */
      proxyHost?: string;
      /** The port of the proxy. */
      proxyPort?: number;
      /** The protocol of the proxy. */
      proxyProtocol?: "http" | "https" | "socks5" | "socks" | "socks5h";
      /** The user name for the proxy. */
      proxyUsername?: string;
      /** The password for the proxy. */
      proxyPassword?: string;
      websocket?: components['schemas']['CreateWebsocket'];
      /** Whether socket.io clients get events of the instance. */
      websocketEnabled?: boolean;
      /** Whether socket.io clients get events of the instance. */
      websocket_enabled?: boolean;
      /** The events for socket.io clients. */
      websocketEvents?: components['schemas']['EventName'][];
      /** The events for socket.io clients. */
      websocket_events?: components['schemas']['EventName'][];
      /** The address of the webhook. */
      webhookUrl?: string;
      /** Whether the name of the event is appended to the address. */
      webhookByEvents?: boolean;
      /** Whether the name of the event is appended to the address. */
      webhook_by_events?: boolean;
      /** Whether posts contain the files of their messages as base64. */
      webhookBase64?: boolean;
      /** Whether posts contain the files of their messages as base64. */
      webhook_base64?: boolean;
      /** The events that the webhook subscribes to. */
      webhookEvents?: components['schemas']['EventName'][];
      /** The names of the subscribed events. */
      events?: components['schemas']['EventName'][];
    };
    /** Which events go to sockets of the instance. */
    CreateWebsocket: {
      /** True when missing. */
      enabled?: boolean;
      /** Missing or empty means all. */
      events?: components['schemas']['EventName'][];
    };
    /** Answer to a body in the older form. */
    CreatedInstanceV1: {
      instance: {
        /** The name of the instance. */
        instanceName: string;
        /** The id of the instance. */
        instanceId: string;
        integration: string;
        webhook_wa_business?: null;
        access_token_wa_business?: string;
        status: "created";
      };
      hash: {
        /** Key of the instance. */
        apikey: string;
      };
      webhook: {
        webhook?: string;
        /** Whether the name of the event is appended to the address. */
        webhook_by_events?: boolean;
        /** Whether posts contain the files of their messages as base64. */
        webhook_base64?: boolean;
        /** The names of the subscribed events. */
        events?: string[];
      };
      websocket?: {
        /** Whether socket.io is enabled. */
        enabled?: boolean;
        /** The names of the subscribed events. */
        events?: string[];
      };
      rabbitmq?: {
        /** Always false, because the gateway does not have this feature. */
        enabled?: boolean;
      };
      sqs?: {
        /** Always false, because the gateway does not have this feature. */
        enabled?: boolean;
      };
      typebot?: {
        /** Always false, because the gateway does not have this feature. */
        enabled?: boolean;
      };
      settings: {
        /** Whether incoming calls are rejected. */
        reject_call: boolean;
        /** The text that is sent to callers; empty sends none. */
        msg_call: string;
        /** Whether events of groups are omitted. */
        groups_ignore: boolean;
        /** Whether the account is shown as online while it is connected. */
        always_online: boolean;
        /** Whether incoming messages are marked as read. */
        read_messages: boolean;
        /** Whether statuses of contacts are reported and marked as seen. */
        read_status: boolean;
        /** Whether the phone is asked for its whole history at the next link. */
        sync_full_history: boolean;
      };
      qrcode?: components['schemas']['QrCode'];
    };
    /** Settings in force. */
    InstanceSettings: {
      /** Whether incoming calls are rejected. */
      rejectCall: boolean;
      /** The text that is sent to callers; empty sends none. */
      msgCall: string;
      /** Whether events of groups are omitted. */
      groupsIgnore: boolean;
      /** Whether the account is shown as online while it is connected. */
      alwaysOnline: boolean;
      /** Whether incoming messages are marked as read. */
      readMessages: boolean;
      /** Whether statuses of contacts are reported and marked as seen. */
      readStatus: boolean;
      /** Whether the phone is asked for its whole history at the next link. */
      syncFullHistory: boolean;
      /** Whether posts of followed channels are reported. */
      readChannels?: boolean;
    };
    /** Answer to a body in the newer form. */
    CreatedInstanceV2: {
      instance: {
        /** The name of the instance. */
        instanceName: string;
        /** The id of the instance. */
        instanceId: string;
        integration: string;
        webhookWaBusiness?: null;
        accessTokenWaBusiness?: string;
        status: components['schemas']['PublicState'];
      };
      /** Key of the instance. */
      hash: string;
      webhook: {
        /** The address of the webhook. */
        webhookUrl?: string;
        webhookHeaders?: { [name: string]: string };
        /** Whether the name of the event is appended to the address. */
        webhookByEvents?: boolean;
        /** Whether posts contain the files of their messages as base64. */
        webhookBase64?: boolean;
      };
      websocket?: {
        /** Whether socket.io is enabled. */
        enabled?: boolean;
        /** The names of the subscribed events. */
        events?: string[];
      };
      rabbitmq?: {
        /** Always false, because the gateway does not have this feature. */
        enabled?: boolean;
      };
      sqs?: {
        /** Always false, because the gateway does not have this feature. */
        enabled?: boolean;
      };
      settings: components['schemas']['InstanceSettings'];
      qrcode?: components['schemas']['QrCode'];
    };
    /** State of one instance. */
    ConnectionState: {
      instance: {
        /** The name of the instance. */
        instanceName: string;
        state: components['schemas']['PublicState'];
      };
      passkey?: components['schemas']['PasskeyStage'];
    };
    /** The stage of a link with a passkey. `required`: the owner has to answer the request; `verifying`: the platform and the phone check the answer; `confirm`: the owner has to compare the code; `confirmed`: the phone may link the instance. */
    PasskeyStage: "required" | "verifying" | "confirm" | "confirmed";
    /** The argument `publicKey` of `navigator.credentials.get()` in the JSON form of WebAuthn (`PublicKeyCredential.parseRequestOptionsFromJSON()` reads it). Bytes are base64url. */
    PasskeyRequest: {
      /** The challenge in base64url. */
      challenge: string;
      /** Milliseconds. */
      timeout?: number;
      /** Domain of the passkey. */
      rpId: string;
      /** The passkeys of the account. With an empty list, the owner chooses in the browser. */
      allowCredentials: {
        id: string;
        type: "public-key";
        transports?: string[];
      }[];
      /** Whether the browser must verify the user, as WebAuthn defines it. */
      userVerification: "required" | "preferred" | "discouraged";
      extensions?: { [name: string]: unknown };
    };
    /** A link with a passkey that is in progress. */
    PasskeyLink: {
      /** Name of the instance. */
      instance: string;
      stage: components['schemas']['PasskeyStage'];
      request: components['schemas']['PasskeyRequest'];
      /** Linking ends then, and new QR codes follow. */
      expiresAt: string;
    };
    /** The code of a link with a passkey. */
    PasskeyCode: {
      /** Name of the instance. */
      instance: string;
      stage: components['schemas']['PasskeyStage'];
      /** The code that the phone shows, such as `4K2D-93MX`. */
      code: string;
      /** Linking ends then, and new QR codes follow. */
      expiresAt: string;
    };
    /** The code that was compared with the phone. */
    ConfirmPasskeyBody: {
      /** As shown, with or without the dash. */
      code: string;
    };
    /** The assertion of the owner's browser, as `PublicKeyCredential.toJSON()` returns it. Bytes are base64url without padding. Other members are ignored. */
    PasskeyAssertion: {
      id: string;
      /** The same as `id`. */
      rawId: string;
      type: "public-key";
      response: {
        /** Type `webauthn.get`, the challenge of the request, and the origin `https://web.whatsapp.com`. */
        clientDataJSON: string;
        /** For the domain in `rpId`, with the owner present and verified. */
        authenticatorData: string;
        signature: string;
        userHandle?: string | null;
      };
    };
    /** One instance: the interface's record under `instance`, the same facts as flat fields for clients that read those, and what this gateway adds (`phase` … `platformVersion`). Keys are shown to the service key and to the instance's own key, unless the operator masks them. */
    InstanceRecord: {
      instance: {
        /** The name of the instance. */
        instanceName: string;
        /** The id of the instance. */
        instanceId: string;
        /** Address of the linked user. */
        owner?: string;
        /** The name in the profile of the account. */
        profileName?: string;
        /** The address of the profile picture; null when it is hidden or missing. */
        profilePictureUrl?: string | null;
        profileStatus?: string;
        status: components['schemas']['PublicState'];
        serverUrl?: string;
        /** Key of the instance. */
        apikey?: string;
        integration?: {
          integration?: string;
          /** Key of the instance. */
          token?: string;
          webhook_platform_business?: string;
          /** The usual name of the field above. */
          webhook_wa_business?: string;
        };
      };
      id: string;
      name: string;
      connectionStatus: components['schemas']['PublicState'];
      ownerJid?: string | null;
      /** The name in the profile of the account. */
      profileName?: string | null;
      /** The address of the profile picture; null when it is hidden or missing. */
      profilePicUrl?: string | null;
      integration: string;
      number?: string | null;
      businessId?: string | null;
      /** Key of the instance. */
      token?: string | null;
      clientName?: string;
      /** Platform code of the last close. */
      disconnectionReasonCode?: number | null;
      /** The last close as JSON text. */
      disconnectionObject?: string | null;
      disconnectionAt?: string | null;
      /** The time of creation. */
      createdAt?: string;
      /** The time of the last change. */
      updatedAt?: string;
      Chatwoot?: null;
      Proxy?: components['schemas']['ProxyRecord'] | null;
      Rabbitmq?: null;
      Sqs?: null;
      Websocket?: components['schemas']['WebsocketRecord'] | null;
      Setting?: {
        id?: string;
        /** Whether incoming calls are rejected. */
        rejectCall: boolean;
        /** The text that is sent to callers; empty sends none. */
        msgCall: string;
        /** Whether events of groups are omitted. */
        groupsIgnore: boolean;
        /** Whether the account is shown as online while it is connected. */
        alwaysOnline: boolean;
        /** Whether incoming messages are marked as read. */
        readMessages: boolean;
        /** Whether statuses of contacts are reported and marked as seen. */
        readStatus: boolean;
        /** Whether the phone is asked for its whole history at the next link. */
        syncFullHistory: boolean;
        /** The time of creation. */
        createdAt?: string;
        /** The time of the last change. */
        updatedAt?: string;
        /** The id of the instance. */
        instanceId?: string;
      };
      _count?: {
        Message: number;
        Contact: number;
        Chat: number;
      };
      /** Where the instance stands in its life, finer than the state. */
      phase?: string;
      /** Why it is not connected. */
      cause?: string | null;
      /** The cause as a sentence. */
      message?: string | null;
      /** What a person has to do. */
      userAction?: string | null;
      /** Next automatic attempt. */
      retryAt?: string | null;
      passkey?: components['schemas']['PasskeyStage'];
      /** Name of the node that has the instance, as in `GET /cluster`; null when none has it at the moment. Only where several nodes share the database, and for the service key. */
      node?: string | null;
      /** Client version presented to the platform. */
      platformVersion?: string | null;
      /** Who said so: the operator (PLATFORM_VERSION), the platform just now, the platform some time ago, or the library as it was built. The last two may be stale, which is why QR codes do not appear. */
      platformVersionSource?: "override" | "platform" | "cache" | "baileys";
      /** What the platform holds against the account; absent while it has said nothing, or there is no connection. */
      restriction?: {
        /** Whether the account may not write to people it has no chat with. */
        restricted: boolean;
        /** The platform's word. */
        reason: string;
        /** ISO 8601 in UTC, when known. */
        until: string | null;
        /** How many chats it may start in a period. */
        newChatQuota?: {
          /** The number of new chats that are allowed. */
          total: number;
          /** The number of new chats that were started. */
          used: number;
          until: string | null;
        };
      };
    };
    /** What the account shows. */
    SetPresenceBody: {
      presence: components['schemas']['Presence'];
    };
    /** Outcome of logout and delete. */
    OperationResult: {
      status: string;
      /** False on success. */
      error: boolean;
      response: {
        message: string;
      };
    };
    /** The message to answer. Only `key.id` is needed; without `message` it is looked up in the store. */
    QuotedMessage: {
      /** The key of the message. */
      key: {
        /** The chat of the message. */
        remoteJid?: string;
        /** Whether this account sent the message. */
        fromMe?: boolean;
        /** The id of the message. */
        id: string;
        /** The author of the message inside a group. */
        participant?: string;
      };
      /** Content of the quoted message, as in `MessageContent`. */
      message?: {
        /** The text of the quoted message. */
        conversation?: string;
      } & { [name: string]: unknown };
    };
    /** Whom to notify in a group. The text itself is not changed; write `@number` in it. */
    Mentions: {
      /** All participants; takes precedence. */
      everyOne?: boolean;
      /** Mentions all who are in the group when it arrives, without a list. */
      all?: boolean;
      /** Phone numbers with country code, LIDs or user names (`@name`). An empty list mentions none. */
      mentioned?: string[];
    };
    /** Options that every send understands. */
    SendOptions: {
      /** Milliseconds to wait before sending; the answer waits too. The operator may set a lower bound. */
      delay?: number;
      presence?: components['schemas']['Presence'];
      /** False sends a link without a preview. */
      linkPreview?: boolean;
      quoted?: components['schemas']['QuotedMessage'];
      mentions?: components['schemas']['Mentions'];
    };
    /** A text in the interface's form. */
    SendTextBody: {
      number: components['schemas']['Recipient'];
      options?: components['schemas']['SendOptions'];
      /** The text. */
      textMessage: {
        /** The text of the message. */
        text: string;
      };
    };
    /** A text in the flat form. */
    SendTextFlatBody: {
      number: components['schemas']['Recipient'];
      /** The text of the message. */
      text: string;
      /** Milliseconds to wait before sending. */
      delay?: number;
      presence?: components['schemas']['Presence'];
      /** Whether the first link of the text gets a preview. */
      linkPreview?: boolean;
      quoted?: components['schemas']['QuotedMessage'];
      /** Mentions all members of the group. */
      mentionsEveryOne?: boolean;
      /** Mentions all members of the group without a list. */
      mentionsAll?: boolean;
      /** Other spelling of mentionsEveryOne. */
      everyOne?: boolean;
      /** The numbers, JIDs or user names of the mentioned users. */
      mentioned?: string[];
    };
    /** Content of a sent message in the flat form; as MessageContent, except that mediaKeyTimestamp is a number. */
    FlatMessageContent: {
      /** The text. */
      conversation?: string;
      imageMessage?: {
        /** Seconds since the epoch. */
        mediaKeyTimestamp?: number;
      } & { [name: string]: unknown };
      videoMessage?: {
        /** Whether it is shown as a GIF. */
        gifPlayback?: boolean;
        /** Seconds since the epoch. */
        mediaKeyTimestamp?: number;
      } & { [name: string]: unknown };
      audioMessage?: {
        /** Seconds since the epoch. */
        mediaKeyTimestamp?: number;
      } & { [name: string]: unknown };
      documentMessage?: {
        /** Seconds since the epoch. */
        mediaKeyTimestamp?: number;
      } & { [name: string]: unknown };
      stickerMessage?: {
        /** Seconds since the epoch. */
        mediaKeyTimestamp?: number;
      } & { [name: string]: unknown };
    } & { [name: string]: unknown };
    /** Result of a send, in the flat form. */
    SentMessageFlat: {
      key: components['schemas']['MessageKey'];
      /** The name that the sender chose. */
      pushName?: string;
      message: components['schemas']['FlatMessageContent'];
      /** Quotes and mentions of a text. */
      contextInfo?: { [name: string]: unknown };
      /** Name of the content object; `conversation` for every text. */
      messageType: string;
      /** Seconds since the epoch. */
      messageTimestamp: number;
      /** The id of the instance. */
      instanceId: string;
      /** Kind of device that sent it. */
      source: string;
      status: components['schemas']['MessageStatus'];
      /** With `wait=ack` and ERROR: the platform's code (superset of the interface). */
      code?: string;
      /** The same in a word. */
      reason?: string;
      /** What was left out of what was asked for. Absent when nothing was (superset of the interface). */
      warnings?: components['schemas']['SendWarning'][];
    };
    /** The status of a message. */
    MessageStatusReport: {
      key: components['schemas']['MessageKey'];
      status?: components['schemas']['MessageStatus'];
      history: {
        status: components['schemas']['MessageStatus'];
        /** When, ISO 8601 in UTC. */
        at: string;
        /** The member of a group whose receipt it was. */
        participant?: string;
        /** Platform code of an ERROR. */
        code?: string;
        /** The same in a word. */
        reason?: string;
      }[];
    };
    /** A voice note in the interface's form. */
    SendAudioBody: {
      number: components['schemas']['Recipient'];
      options?: {
        /** Milliseconds to wait before sending. */
        delay?: number;
        presence?: components['schemas']['Presence'];
        quoted?: components['schemas']['QuotedMessage'];
        mentions?: components['schemas']['Mentions'];
        /** False sends the file as it is. */
        encoding?: boolean;
        /** To be listened to once. */
        viewOnce?: boolean;
      };
      audioMessage: {
        /** Address, base64 or data URL. */
        audio: string;
      };
    };
    /** A voice note in the flat form. */
    SendAudioFlatBody: {
      number: components['schemas']['Recipient'];
      /** Address, base64 or data URL. */
      audio: string;
      /** False sends the file as it is. */
      encoding?: boolean;
      /** To be listened to once. */
      viewOnce?: boolean;
      /** Milliseconds to wait before sending. */
      delay?: number;
      presence?: components['schemas']['Presence'];
      quoted?: components['schemas']['QuotedMessage'];
      /** Mentions all members of the group. */
      mentionsEveryOne?: boolean;
      /** Mentions all members of the group without a list. */
      mentionsAll?: boolean;
      /** Other spelling of mentionsEveryOne. */
      everyOne?: boolean;
      /** The numbers, JIDs or user names of the mentioned users. */
      mentioned?: string[];
    };
    /** A location in the interface's form. */
    SendLocationBody: {
      number: components['schemas']['Recipient'];
      options?: components['schemas']['SendOptions'];
      locationMessage: {
        /** The name of the place. */
        name?: string;
        /** The address of the place. */
        address?: string;
        /** The latitude in degrees. */
        latitude: number;
        /** The longitude in degrees. */
        longitude: number;
      };
    };
    /** A location in the flat form. */
    SendLocationFlatBody: {
      number: components['schemas']['Recipient'];
      /** The name of the place. */
      name?: string;
      /** The address of the place. */
      address?: string;
      /** The latitude in degrees. */
      latitude: number;
      /** The longitude in degrees. */
      longitude: number;
      /** Milliseconds to wait before sending. */
      delay?: number;
      presence?: components['schemas']['Presence'];
      quoted?: components['schemas']['QuotedMessage'];
      /** Mentions all members of the group. */
      mentionsEveryOne?: boolean;
      /** Mentions all members of the group without a list. */
      mentionsAll?: boolean;
      /** Other spelling of mentionsEveryOne. */
      everyOne?: boolean;
      /** The numbers, JIDs or user names of the mentioned users. */
      mentioned?: string[];
    };
    /** A sticker in the interface's form. */
    SendStickerBody: {
      number: components['schemas']['Recipient'];
      options?: components['schemas']['SendOptions'];
      stickerMessage: {
        /** Address, base64 or data URL. */
        image: string;
      };
    };
    /** A sticker in the flat form. */
    SendStickerFlatBody: {
      number: components['schemas']['Recipient'];
      /** Address, base64 or data URL. */
      sticker: string;
      /** Milliseconds to wait before sending. */
      delay?: number;
      presence?: components['schemas']['Presence'];
      quoted?: components['schemas']['QuotedMessage'];
      /** Mentions all members of the group. */
      mentionsEveryOne?: boolean;
      /** Mentions all members of the group without a list. */
      mentionsAll?: boolean;
      /** Other spelling of mentionsEveryOne. */
      everyOne?: boolean;
      /** The numbers, JIDs or user names of the mentioned users. */
      mentioned?: string[];
    };
    /** A picture, video, sound or document in the wrapped form. */
    SendMediaBody: {
      number: components['schemas']['Recipient'];
      options?: components['schemas']['SendOptions'] & {
        /** An image, a video or an audio to be looked at once. */
        viewOnce?: boolean;
      };
      /** The file. */
      mediaMessage: {
        /** The kind of the file. */
        mediatype: "image" | "document" | "video" | "audio";
        /** Address, base64 or data URL. */
        media: string;
        /** Of a document. What the other kinds are is read from their bytes. */
        mimetype?: string;
        /** Of a document. */
        fileName?: string;
        /** The text below the file. */
        caption?: string;
      };
    };
    /** A picture, video, sound or document in the flat form. */
    SendMediaFlatBody: {
      number: components['schemas']['Recipient'];
      /** The kind of the file. */
      mediatype: "image" | "document" | "video" | "audio";
      /** Address, base64 or data URL. */
      media: string;
      /** Of a document. What the other kinds are is read from their bytes. */
      mimetype?: string;
      /** Of a document. */
      fileName?: string;
      /** The text below the file. */
      caption?: string;
      /** An image, a video or an audio to be looked at once. */
      viewOnce?: boolean;
      /** Milliseconds to wait before sending. */
      delay?: number;
      presence?: components['schemas']['Presence'];
      quoted?: components['schemas']['QuotedMessage'];
      /** Mentions all members of the group. */
      mentionsEveryOne?: boolean;
      /** Mentions all members of the group without a list. */
      mentionsAll?: boolean;
      /** Other spelling of mentionsEveryOne. */
      everyOne?: boolean;
      /** The numbers, JIDs or user names of the mentioned users. */
      mentioned?: string[];
    };
    /** A message; the store knows the rest of those that it has. */
    TargetKey: {
      /** Its chat: number, JID or LID. */
      remoteJid?: string;
      /** Whether this account sent the message. */
      fromMe?: boolean;
      /** The id of the message. */
      id: string;
      /** Its author in a group. */
      participant?: string;
    };
    /** Which message to whom, in the wrapped form. */
    ForwardBody: {
      number: components['schemas']['Recipient'];
      options?: components['schemas']['SendOptions'];
      message: {
        key: components['schemas']['TargetKey'];
      };
    };
    /** Which message to whom, in the flat form. */
    ForwardFlatBody: {
      number: components['schemas']['Recipient'];
      /** Of the message; or its `key`. */
      id: string;
      /** Milliseconds to wait before sending. */
      delay?: number;
      presence?: components['schemas']['Presence'];
      quoted?: components['schemas']['QuotedMessage'];
      /** Mentions all members of the group. */
      mentionsEveryOne?: boolean;
      /** Other spelling of mentionsEveryOne. */
      everyOne?: boolean;
      /** Mentions all members of the group without a list. */
      mentionsAll?: boolean;
      /** The numbers, JIDs or user names of the mentioned users. */
      mentioned?: string[];
    };
    /** An album in the wrapped form. */
    SendAlbumBody: {
      number: components['schemas']['Recipient'];
      options?: components['schemas']['SendOptions'];
      /** The album. */
      albumMessage: {
        /** The files of the album in their order. */
        items: ({
          /** The kind of the file. */
          mediatype: "image" | "video";
          /** Address, base64 or data URL. */
          media: string;
          /** The text below the file. */
          caption?: string;
        })[];
      };
    };
    /** An album in the flat form. */
    SendAlbumFlatBody: {
      number: components['schemas']['Recipient'];
      /** The files of the album in their order. */
      items: ({
        /** The kind of the file. */
        mediatype: "image" | "video";
        /** Address, base64 or data URL. */
        media: string;
        /** The text below the file. */
        caption?: string;
      })[];
      /** Milliseconds to wait before sending. */
      delay?: number;
      presence?: components['schemas']['Presence'];
      quoted?: components['schemas']['QuotedMessage'];
      /** Mentions all members of the group. */
      mentionsEveryOne?: boolean;
      /** Other spelling of mentionsEveryOne. */
      everyOne?: boolean;
      /** Mentions all members of the group without a list. */
      mentionsAll?: boolean;
      /** The numbers, JIDs or user names of the mentioned users. */
      mentioned?: string[];
    };
    /** An album that was sent, and the messages of its files. */
    SentAlbum: {
      key: components['schemas']['MessageKey'];
      message: components['schemas']['MessageContent'];
      /** Seconds since the epoch. */
      messageTimestamp: string;
      status: components['schemas']['MessageStatus'];
      code?: string;
      reason?: string;
      /** The messages of the files in their order. */
      items: components['schemas']['SentMessage'][];
    };
    /** The same in the flat form. */
    SentAlbumFlat: {
      key: components['schemas']['MessageKey'];
      message: components['schemas']['FlatMessageContent'];
      /** The name of the content object of the message. */
      messageType: string;
      /** Seconds since the epoch. */
      messageTimestamp: number;
      /** The id of the instance. */
      instanceId: string;
      /** Kind of device that sent it. */
      source: string;
      status: components['schemas']['MessageStatus'];
      code?: string;
      reason?: string;
      /** The messages of the files in their order. */
      items: components['schemas']['SentMessageFlat'][];
    };
    /** Which message, and for how long. */
    PinMessageBody: {
      key: components['schemas']['TargetKey'];
      /** False takes it down. */
      pin?: boolean;
      /** Seconds: a day, a week (when absent) or 30 days. */
      duration?: 86400 | 604800 | 2592000;
    };
    /** A video note in the wrapped form. */
    SendPtvBody: {
      number: components['schemas']['Recipient'];
      options?: components['schemas']['SendOptions'];
      /** The video note. */
      ptvMessage: {
        /** Address, base64 or data URL. */
        video: string;
      };
    };
    /** A video note in the flat form. */
    SendPtvFlatBody: {
      number: components['schemas']['Recipient'];
      /** Address, base64 or data URL. */
      video: string;
      /** Milliseconds to wait before sending. */
      delay?: number;
      presence?: components['schemas']['Presence'];
      quoted?: components['schemas']['QuotedMessage'];
      /** Mentions all members of the group. */
      mentionsEveryOne?: boolean;
      /** Mentions all members of the group without a list. */
      mentionsAll?: boolean;
      /** Other spelling of mentionsEveryOne. */
      everyOne?: boolean;
      /** The numbers, JIDs or user names of the mentioned users. */
      mentioned?: string[];
    };
    /** Contacts in the wrapped form. */
    SendContactBody: {
      number: components['schemas']['Recipient'];
      options?: components['schemas']['SendOptions'];
      /** The contacts. */
      contactMessage: {
        /** The full name of the contact. */
        fullName: string;
        /** As phones show it. */
        phoneNumber: string;
        /** The number on the platform; else `phoneNumber`. */
        wuid?: string;
        /** The organization of the contact. */
        organization?: string;
        /** The e-mail address of the contact. */
        email?: string;
        url?: string;
      }[];
    };
    /** Contacts in the flat form. */
    SendContactFlatBody: {
      number: components['schemas']['Recipient'];
      /** The contacts. */
      contact: {
        /** The full name of the contact. */
        fullName: string;
        /** As phones show it. */
        phoneNumber: string;
        /** The number on the platform; else `phoneNumber`. */
        wuid?: string;
        /** The organization of the contact. */
        organization?: string;
        /** The e-mail address of the contact. */
        email?: string;
        url?: string;
      }[];
      /** Milliseconds to wait before sending. */
      delay?: number;
      presence?: components['schemas']['Presence'];
      quoted?: components['schemas']['QuotedMessage'];
      /** Mentions all members of the group. */
      mentionsEveryOne?: boolean;
      /** Mentions all members of the group without a list. */
      mentionsAll?: boolean;
      /** Other spelling of mentionsEveryOne. */
      everyOne?: boolean;
      /** The numbers, JIDs or user names of the mentioned users. */
      mentioned?: string[];
    };
    /** A reaction in the wrapped form. */
    SendReactionBody: {
      options?: {
        /** Milliseconds to wait before sending. */
        delay?: number;
        presence?: components['schemas']['Presence'];
      };
      /** The reaction. */
      reactionMessage: {
        /** The message to react to. */
        key: {
          /** The chat of the message. */
          remoteJid: string;
          /** Whether this account sent the message. */
          fromMe?: boolean;
          /** The id of the message. */
          id: string;
          /** Its author in a group. */
          participant?: string;
        };
        /** One emoji, or nothing. */
        reaction: string;
      };
    };
    /** A reaction in the flat form. */
    SendReactionFlatBody: {
      /** The message to react to. */
      key: {
        /** The chat of the message. */
        remoteJid: string;
        /** Whether this account sent the message. */
        fromMe?: boolean;
        /** The id of the message. */
        id: string;
        /** Its author in a group. */
        participant?: string;
      };
      /** One emoji, or nothing. */
      reaction: string;
      /** Milliseconds to wait before sending. */
      delay?: number;
      presence?: components['schemas']['Presence'];
    };
    /** A poll in the wrapped form. */
    SendPollBody: {
      number: components['schemas']['Recipient'];
      options?: components['schemas']['SendOptions'];
      /** The poll. */
      pollMessage: {
        /** The question. */
        name: string;
        /** Options one person may choose; 0: any number. Default 1. */
        selectableCount?: number;
        /** The options of the poll. */
        values: string[];
      };
    };
    /** A poll in the flat form. */
    SendPollFlatBody: {
      number: components['schemas']['Recipient'];
      /** The question. */
      name: string;
      /** Options one person may choose; 0: any number. Default 1. */
      selectableCount?: number;
      /** The options of the poll. */
      values: string[];
      /** Milliseconds to wait before sending. */
      delay?: number;
      presence?: components['schemas']['Presence'];
      quoted?: components['schemas']['QuotedMessage'];
      /** Mentions all members of the group. */
      mentionsEveryOne?: boolean;
      /** Mentions all members of the group without a list. */
      mentionsAll?: boolean;
      /** Other spelling of mentionsEveryOne. */
      everyOne?: boolean;
      /** The numbers, JIDs or user names of the mentioned users. */
      mentioned?: string[];
    };
    /** A status in the wrapped form. */
    SendStatusBody: {
      /** The status. */
      statusMessage: {
        type: "text" | "image" | "video" | "audio";
        /** The text; or address, base64 or data URL. */
        content: string;
        /** The text below the file. */
        caption?: string;
        /** Of texts and voice notes. */
        backgroundColor?: string;
        /** Of texts. Default 0. */
        font?: number;
        /** The users who see the status. */
        statusJidList?: string[];
        /** All contacts whose name is known; takes precedence. */
        allContacts?: boolean;
      };
    };
    /** A status in the flat form. */
    SendStatusFlatBody: {
      type: "text" | "image" | "video" | "audio";
      /** The text; or address, base64 or data URL. */
      content: string;
      /** The text below the file. */
      caption?: string;
      /** Of texts and voice notes. */
      backgroundColor?: string;
      /** Of texts. Default 0. */
      font?: number;
      /** The users who see the status. */
      statusJidList?: string[];
      /** All contacts whose name is known; takes precedence. */
      allContacts?: boolean;
    };
    /** A list in the wrapped form. */
    SendListBody: {
      number: components['schemas']['Recipient'];
      options?: components['schemas']['SendOptions'];
      /** The list. */
      listMessage: {
        title: string;
        description?: string;
        /** On the button that opens the list. */
        buttonText: string;
        /** The text below the content. */
        footerText?: string;
        /** The sections of the list. */
        sections: {
          title: string;
          /** The rows of the section. */
          rows: {
            title: string;
            description?: string;
            /** Comes back when it is chosen; rows may share one. */
            rowId: string;
          }[];
        }[];
      };
    };
    /** A list in the flat form. */
    SendListFlatBody: {
      number: components['schemas']['Recipient'];
      title: string;
      description?: string;
      /** On the button that opens the list. */
      buttonText: string;
      /** The text below the content. */
      footerText?: string;
      /** The sections of the list. */
      sections: {
        title: string;
        /** The rows of the section. */
        rows: {
          title: string;
          description?: string;
          /** Comes back when it is chosen; rows may share one. */
          rowId: string;
        }[];
      }[];
      /** Milliseconds to wait before sending. */
      delay?: number;
      presence?: components['schemas']['Presence'];
      quoted?: components['schemas']['QuotedMessage'];
      /** Mentions all members of the group. */
      mentionsEveryOne?: boolean;
      /** Mentions all members of the group without a list. */
      mentionsAll?: boolean;
      /** Other spelling of mentionsEveryOne. */
      everyOne?: boolean;
      /** The numbers, JIDs or user names of the mentioned users. */
      mentioned?: string[];
    };
    /** Buttons in the wrapped form. */
    SendButtonsBody: {
      number: components['schemas']['Recipient'];
      options?: components['schemas']['SendOptions'];
      /** The text and its buttons. */
      buttonMessage: {
        /** Above the description; the text itself where there is none. */
        title?: string;
        description?: string;
        /** The text below the content. */
        footer?: string;
        /** Address, base64 or data URL of a picture above the text. */
        thumbnailUrl?: string;
        /** The buttons in their order. */
        buttons: ({
          /** Default reply. */
          type?: "reply" | "copy" | "url" | "call" | "pix";
          /** Also as text or buttonText. */
          displayText?: string;
          /** Of a reply, also as buttonId; comes back when it is tapped. */
          id?: string;
          url?: string;
          /** The text that the button copies. */
          copyCode?: string;
          /** The phone number that the button calls. */
          phoneNumber?: string;
          /** The currency of the payment. */
          currency?: string;
          /** Of who is paid. */
          name?: string;
          keyType?: "phone" | "email" | "cpf" | "cnpj" | "random";
          key?: string;
        })[];
      };
    };
    /** Buttons in the flat form. */
    SendButtonsFlatBody: {
      number: components['schemas']['Recipient'];
      /** Above the description; the text itself where there is none. */
      title?: string;
      description?: string;
      /** The text below the content. */
      footer?: string;
      /** Address, base64 or data URL of a picture above the text. */
      thumbnailUrl?: string;
      /** The buttons in their order. */
      buttons: ({
        /** Default reply. */
        type?: "reply" | "copy" | "url" | "call" | "pix";
        /** Also as text or buttonText. */
        displayText?: string;
        /** Of a reply, also as buttonId; comes back when it is tapped. */
        id?: string;
        url?: string;
        /** The text that the button copies. */
        copyCode?: string;
        /** The phone number that the button calls. */
        phoneNumber?: string;
        /** The currency of the payment. */
        currency?: string;
        /** Of who is paid. */
        name?: string;
        keyType?: "phone" | "email" | "cpf" | "cnpj" | "random";
        key?: string;
      })[];
      /** Milliseconds to wait before sending. */
      delay?: number;
      presence?: components['schemas']['Presence'];
      quoted?: components['schemas']['QuotedMessage'];
      /** Mentions all members of the group. */
      mentionsEveryOne?: boolean;
      /** Mentions all members of the group without a list. */
      mentionsAll?: boolean;
      /** Other spelling of mentionsEveryOne. */
      everyOne?: boolean;
      /** The numbers, JIDs or user names of the mentioned users. */
      mentioned?: string[];
    };
    /** A template in the wrapped form. */
    SendTemplateBody: {
      number: components['schemas']['Recipient'];
      templateMessage: {
        name: string;
        /** The language of the template. */
        language: string;
      };
    };
    /** A template in the flat form. */
    SendTemplateFlatBody: {
      number: components['schemas']['Recipient'];
      name: string;
      /** The language of the template. */
      language: string;
    };
    /** Presence to show, and for how long. */
    SendPresenceBody: {
      number: components['schemas']['Recipient'];
      options: {
        /** Milliseconds. */
        delay?: number;
        presence?: components['schemas']['Presence'];
      };
    };
    /** The same in the flat form. */
    SendPresenceFlatBody: {
      number: components['schemas']['Recipient'];
      /** Milliseconds. */
      delay?: number;
      presence?: components['schemas']['Presence'];
    };
    /** The presence that was shown. */
    PresenceResult: {
      presence: components['schemas']['Presence'];
    };
    /** Which message to edit, and its new text. */
    UpdateMessageBody: {
      /** The chat. An integer in the interface; a string keeps identifiers and leading zeros. */
      number?: components['schemas']['Recipient'] | number;
      /** New content. */
      text: string;
      /** The key of the message. */
      key: {
        /** The chat of the message. */
        remoteJid?: string;
        /** Whether this account sent the message. */
        fromMe?: boolean;
        /** The id of the message. */
        id: string;
      };
    };
    /** Which statuses to list. All conditions must hold; an absent one does not count. */
    FindStatusMessageBody: {
      /** The conditions; all of them must hold. */
      where?: {
        /** Other spelling of id. */
        _id?: string;
        /** Identifier of the message. */
        id?: string;
        /** The chat of the message. */
        remoteJid?: string;
        /** Whether this account sent the message. */
        fromMe?: boolean;
        /** Member of a group whose receipt it was. */
        participant?: string;
        status?: components['schemas']['MessageStatus'];
      };
      /** 0 or absent: 1000. */
      limit?: number;
      /** The number of the page, from 1. */
      page?: number;
      /** Page size. */
      offset?: number;
    };
    /** One status a message reached. */
    StoredStatus: {
      /** The chat of the message. */
      remoteJid: string;
      /** Identifier of the message. */
      id: string;
      /** The same as id. */
      keyId?: string;
      /** The same as id, which is the `id` of the record in findMessages. */
      messageId?: string;
      /** Whether this account sent the message. */
      fromMe: boolean;
      /** The author of the message inside a group. */
      participant?: string;
      status: components['schemas']['MessageStatus'];
      /** Milliseconds since the epoch. */
      datetime: number;
      /** Platform code of an ERROR. */
      code?: string;
      /** The same in a word. */
      reason?: string;
      /** Name of the instance. */
      owner?: string;
      /** The id of the instance. */
      instanceId?: string;
    };
    /** Which messages to list. All conditions must hold; an absent one does not count. */
    FindMessagesBody: {
      /** The conditions; all of them must hold. */
      where?: {
        key?: {
          /** The chat of the message. */
          remoteJid?: string;
          /** Whether this account sent the message. */
          fromMe?: boolean;
          /** The id of the message. */
          id?: string;
          /** Sender inside a group. */
          participant?: string;
        };
        /** Name of the content object as it is stored. */
        messageType?: string;
        messageTimestamp?: {
          /** The earliest time. */
          gte?: string;
          /** The latest time. */
          lte?: string;
        };
      };
      /** 0 or absent: 1000. */
      limit?: number;
      /** The number of the page, from 1. */
      page?: number;
      /** Page size, 50 when absent. */
      offset?: number;
    };
    /** One message as kept in the store. */
    StoredMessage: {
      key: components['schemas']['MessageKey'];
      /** The name that the sender chose. */
      pushName?: string;
      /** The same as key.id. */
      id?: string;
      message: components['schemas']['MessageContent'];
      /** Quotes and mentions of a text in a page. */
      contextInfo?: { [name: string]: unknown };
      /** The name of the content object of the message. */
      messageType: string;
      /** Seconds since the epoch. */
      messageTimestamp: number;
      /** Seconds since the epoch of the last edit, when there was one. */
      editedAt?: number;
      /** Only when it is. */
      starred?: boolean;
      status?: components['schemas']['MessageStatus'];
      /** The statuses it reached, oldest first. */
      MessageUpdate?: {
        status: components['schemas']['MessageStatus'];
      }[];
      source?: string;
      /** Name of the instance. */
      owner?: string;
      /** The id of the instance. */
      instanceId?: string;
    };
    /** The answer to a search without paging. */
    StoredMessages: components['schemas']['StoredMessage'][];
    /** One page of a search. */
    StoredMessagePage: {
      messages: {
        /** The number of messages that match. */
        total: number;
        /** The number of pages. */
        pages: number;
        /** The number of this page, from 1. */
        currentPage: number;
        /** The messages of this page, newest first. */
        records: components['schemas']['StoredMessage'][];
      };
    };
    /** Whose older messages to ask the phone for. */
    FetchHistoryBody: {
      number: components['schemas']['Recipient'];
      /** 50 when absent. Phones send at most 50 at a time. */
      count?: number;
      /** Id of a stored message of this chat. The oldest one when absent. */
      before?: string;
    };
    /** What the phone was asked for, and what it sent. */
    FetchedHistory: {
      /** The JID of the chat. */
      chatId: string;
      /** Id of the message to the phone. */
      requestId: string;
      count: number;
      before: {
        key: components['schemas']['MessageKey'];
        /** Seconds since the epoch. */
        messageTimestamp: number;
      };
      /** Number of messages that the phone sent. */
      messages: number;
      /** Whether the phone has older ones; null when it does not say so. */
      hasMore: boolean | null;
    };
    /** A number alone. */
    NumberBody: {
      number: components['schemas']['Recipient'];
    };
    /** Profile picture result. */
    ProfilePicture: {
      /** Identifier of the user. */
      wuid: string;
      /** The address of the profile picture; null when it is hidden or missing. */
      profilePictureUrl: string | null;
    };
    /** The new profile status text. */
    UpdateProfileStatusBody: {
      /** Empty to remove it. */
      status: string;
      /** One emoji. */
      emoji?: string;
      /** Seconds; 0 or absent: it stays. */
      expiration?: number;
    };
    /** Who sees what. */
    PrivacySettings: {
      readreceipts?: "all" | "none";
      profile?: "all" | "contacts" | "contact_blacklist" | "none";
      status?: "all" | "contacts" | "contact_blacklist" | "none";
      online?: "all" | "match_last_seen";
      last?: "all" | "contacts" | "contact_blacklist" | "none";
      groupadd?: "all" | "contacts" | "contact_blacklist" | "none";
    };
    /** The settings to change. */
    UpdatePrivacySettingsBody: {
      privacySettings: components['schemas']['PrivacySettings'];
    };
    /** All six settings after the change. */
    PrivacyResult: {
      update: string;
      data: components['schemas']['PrivacySettings'];
    };
    /** The new profile name. */
    UpdateProfileNameBody: {
      name: string;
    };
    /** The new profile picture. */
    UpdateProfilePictureBody: {
      /** Address, base64 or data URL. */
      picture: string;
    };
    /** Whose profile; without a number this account's own. */
    FetchProfileBody: {
      number?: components['schemas']['Recipient'];
    };
    /** What a user shows. */
    ShownProfile: {
      /** Identifier of the user. */
      wuid: string;
      /** The name they chose, as far as it is known. */
      name: string | null;
      numberExists: boolean;
      /** Address of the picture. */
      picture: string | null;
      /** The text under the name. */
      status: string | null;
      /** Whether it is a business account. */
      isBusiness: boolean;
      /** Of a business. */
      description?: string;
      /** Of a business. */
      email?: string;
      /** Of a business, the first. */
      website?: string;
    };
    /** The profile of a business. Without one, `isBusiness` is false and `message` says so. */
    BusinessProfile: {
      /** Whether it is a business account. */
      isBusiness: boolean;
      /** Identifier of the business. */
      wid?: string;
      description?: string;
      /** The addresses of the websites of the business. */
      website?: string[];
      /** The postal address of the business. */
      address?: string;
      /** The e-mail address of the business. */
      email?: string;
      /** The category of the business. */
      category?: string;
      /** The opening hours of the business. */
      business_hours?: {
        /** The time zone of the opening hours. */
        timezone?: string;
        business_config?: { [name: string]: unknown }[];
      };
      message?: string;
      exists?: boolean;
      jid?: string;
      name?: string;
      /** As it was asked for. */
      number?: string;
    };
    /** Whom to block or to unblock. */
    UpdateBlockStatusBody: {
      number: components['schemas']['Recipient'];
      status: "block" | "unblock";
    };
    /** A contact that was blocked or unblocked. */
    BlockResult: {
      block: string;
    };
    /** The numbers to check. */
    NumbersBody: {
      /** The numbers to look up. */
      numbers: components['schemas']['Recipient'][];
    };
    /** Numbers, LIDs and user names of people. */
    FindLidsBody: {
      /** The numbers to look up. */
      numbers: components['schemas']['Recipient'][];
    };
    /** The two addresses of a person. */
    FoundLid: {
      /** As the caller wrote it. */
      number: string;
      /** Address with the phone number; null when the number of the LID is not known. */
      jid: string | null;
      /** Null for a number that is not on the platform. */
      lid: string | null;
      /** False for a number that is not on the platform. LIDs are not checked. */
      exists: boolean;
    };
    /** Whether a number is on the platform. */
    CheckedNumber: {
      /** Whether the number is on the platform. */
      exists: boolean;
      /** Its address; the requested one when it does not exist. */
      jid: string;
      /** As the caller wrote it. */
      number: string;
      /** What they call themselves, as far as it is known; the subject of a group. */
      name?: string;
      /** The LID, when it is known. */
      lid?: string;
      /** User name, when it is known. */
      username?: string;
      /** True when the answer was known and still holds, false when the platform was asked. */
      cached: boolean;
      /** When the platform said so (ISO 8601); absent for groups and LIDs. */
      checkedAt?: string;
    };
    /** Key of the message to delete. */
    DeleteMessageBody: {
      id: string;
      /** Whether this account sent the message. */
      fromMe: boolean;
      /** The chat. */
      remoteJid: string;
      /** Author inside a group; the store knows it. */
      participant?: string;
    };
    /** Which file, by the key of its message. */
    GetBase64Body: {
      message: {
        /** The key of the message. */
        key: {
          /** The id of the message. */
          id: string;
          /** The chat, when the id alone is not enough. */
          remoteJid?: string;
          /** Whether this account sent the message. */
          fromMe?: boolean;
          /** The author of the message inside a group. */
          participant?: string;
        };
        /** Content of a message that is not stored, as it was posted. */
        message?: { [name: string]: unknown };
      };
      /** Of sounds. */
      convertToMp4?: boolean;
    };
    /** A file and what its message says of it. */
    MediaBase64: {
      /** Name of the content object. */
      mediaType: string;
      /** The name of the file. */
      fileName: string;
      /** The text below the file. */
      caption?: string;
      size: {
        /** Bytes. */
        fileLength: string;
        /** The height in pixels. */
        height?: number;
        /** The width in pixels. */
        width?: number;
      };
      /** The MIME type of the file. */
      mimetype: string;
      /** The file as base64. */
      base64: string;
      /** Always null, for clients that expect the key. */
      buffer?: null;
    };
    /** The messages that were read. */
    ReadMessagesBody: {
      /** The keys of the messages to mark as read. */
      readMessages: components['schemas']['GivenKey'][];
    };
    /** The same, as older clients of other gateways write it. */
    ReadMessagesFlatBody: {
      /** The keys of the messages to mark as read. */
      read_messages: components['schemas']['GivenKey'][];
    };
    /** Key of a message as a caller names it. */
    GivenKey: {
      /** The id of the message. */
      id: string;
      /** Whether this account sent the message. */
      fromMe: boolean;
      /** The chat of the message. */
      remoteJid: string;
      /** Author inside a group, when the message is not stored. */
      participant?: string;
    };
    /** Messages that were read. */
    ReadResult: {
      message: string;
      read: string;
    };
    /** The last message of a chat; the store's own knowledge wins. */
    LastMessage: {
      key: components['schemas']['GivenKey'];
      /** Seconds since the epoch. */
      messageTimestamp?: number;
    };
    /** Which chat, by one of the two. */
    MarkChatUnreadBody: {
      /** Number, JID, LID or user name. */
      chat?: string;
      lastMessage?: components['schemas']['LastMessage'];
    };
    /** A chat that was marked. */
    UnreadResult: {
      /** The JID of the chat. */
      chatId: string;
      /** Whether the chat is marked as unread. */
      markedChatUnread: boolean;
    };
    /** Which chat, and whether it is pinned. */
    PinChatBody: {
      /** Number, JID, LID or user name; `number` is the same. */
      chat: string;
      /** True pins the chat, false unpins it. */
      pin: boolean;
    };
    /** How the chat is now. */
    PinResult: {
      /** The JID of the chat. */
      chatId: string;
      /** Whether the chat is pinned. */
      pinned: boolean;
    };
    /** Which chat, and whether it is muted. */
    MuteChatBody: {
      /** Number, JID, LID or user name; `number` is the same. */
      chat: string;
      /** True mutes the chat, false unmutes it. */
      mute: boolean;
      /** Seconds; without an end when absent. */
      duration?: number;
    };
    /** How the chat is now. */
    MuteResult: {
      /** The JID of the chat. */
      chatId: string;
      /** Whether the chat is muted. */
      muted: boolean;
      /** Milliseconds since the epoch; -1: without an end; null: not muted. */
      muteEndTime: number | null;
    };
    /** Which message, and whether it is starred. */
    StarMessageBody: {
      key: components['schemas']['TargetKey'];
      /** False takes the star off. */
      star?: boolean;
    };
    /** How the message is now. */
    StarResult: {
      /** The JID of the chat. */
      chatId: string;
      /** The id of the message. */
      messageId: string;
      /** Whether the message is starred. */
      starred: boolean;
    };
    /** After how many seconds messages of the chat disappear; 0 keeps them. */
    ToggleChatEphemeralBody: {
      number: components['schemas']['Recipient'];
      /** The number of seconds after which messages disappear; 0 keeps them. */
      expiration: 0 | 86400 | 604800 | 7776000;
    };
    /** How the chat is now. */
    ChatEphemeralResult: {
      /** The JID of the chat. */
      chatId: string;
      /** Seconds; 0 when messages stay. */
      expiration: number;
    };
    /** Which chat, and whether it goes into the archive or out of it. */
    ArchiveChatBody: {
      /** True archives the chat, false removes it from the archive. */
      archive: boolean;
      /** Number, JID, LID or user name. */
      chat?: string;
      lastMessage?: components['schemas']['LastMessage'];
    };
    /** Where the chat is now. */
    ArchiveResult: {
      /** The JID of the chat. */
      chatId: string;
      /** Whether the chat is archived. */
      archived: boolean;
    };
    /** Which contacts to list. All conditions must hold; absent and empty ones do not count. */
    FindContactsBody: {
      /** The conditions; all of them must hold. */
      where?: {
        /** Number, JID, LID or user name. */
        remoteJid?: string;
        /** The same. */
        id?: string;
        /** The same. */
        _id?: string;
        /** The whole name. */
        pushName?: string;
      };
      /** 0 or absent: 1000. */
      limit?: number;
      /** The number of the page, from 1. */
      page?: number;
      /** Page size. */
      offset?: number;
    };
    /** A contact that the instance knows. */
    ListedContact: {
      /** The same as remoteJid. */
      id: string;
      /** Phone-number form when the number is known, else the LID (`…@lid`). */
      remoteJid: string;
      /** LID, when known. */
      lid?: string;
      /** The name that the contact chose. */
      pushName: string | null;
      /** User name, when the platform sent it. */
      username?: string;
      /** Not kept; see fetchProfilePictureUrl. */
      profilePictureUrl: null;
      /** The same. */
      profilePicUrl: null;
      /** Whether the entry is a group. */
      isGroup: boolean;
      type: string;
      /** Name of the instance. */
      owner: string;
      /** The id of the instance. */
      instanceId: string;
    };
    /** Which chats to list. All conditions must hold; absent and empty ones do not count. */
    FindChatsBody: {
      /** The conditions; all of them must hold. */
      where?: {
        /** Number, JID, LID or user name. */
        remoteJid?: string;
        /** The same. */
        id?: string;
        /** When the last message was sent. */
        messageTimestamp?: {
          /** The earliest time. */
          gte?: string;
          /** The latest time. */
          lte?: string;
        };
      };
      /** 0 or absent: 1000. */
      limit?: number;
      /** The number of the page, from 1. */
      page?: number;
      /** Page size. */
      offset?: number;
      /** The same. */
      take?: number;
      /** Chats to pass over. */
      skip?: number;
    };
    /** A chat as kept in the store. */
    ListedChat: {
      /** The same as remoteJid. */
      id: string;
      remoteJid: string;
      /** The LID, when it is known. */
      lid?: string;
      /** What the phone calls it, else what the partner calls themselves. */
      name: string | null;
      /** What the partner calls themselves. */
      pushName: string | null;
      /** User name of the partner, when the platform sent it. */
      username?: string;
      /** Not kept; see fetchProfilePictureUrl. */
      profilePicUrl: null;
      /** Messages of others since it was last read or written in; -1 when it was marked as unread. */
      unreadCount: number;
      /** Whether the chat is archived. */
      archived: boolean;
      /** Whether the chat is pinned. */
      pinned: boolean;
      /** Milliseconds since the epoch, -1 without an end. */
      muteEndTime: number | null;
      /** Seconds after which messages disappear, when it is known. */
      ephemeralExpiration?: number;
      /** Seconds since the epoch. */
      lastMsgTimestamp: number | null;
      /** Time of the oldest message that is known, ISO 8601. */
      createdAt: string | null;
      /** lastMsgTimestamp as ISO 8601. */
      updatedAt: string | null;
      lastMessage: components['schemas']['StoredMessage'] | null;
      /** Name of the instance. */
      owner: string;
      /** The id of the instance. */
      instanceId: string;
    };
    /** A group name; typed object in the interface, where a plain string is meant. Both are accepted. */
    GroupSubject: string | {
      /** The name of the group. */
      subject: string;
    };
    /** A group description; a plain string or an object that holds it. */
    GroupDescription: string | {
      description: string;
    };
    /** A picture: address, base64 or data URL, or an object that holds it. */
    GroupPicture: string | {
      image: string;
    };
    /** Phone numbers with country code. */
    Participants: components['schemas']['Recipient'][];
    /** A new group. */
    CreateGroupBody: {
      subject: components['schemas']['GroupSubject'];
      description?: string;
      participants: components['schemas']['Participants'];
      /** True makes all added members admins. */
      promoteParticipants?: boolean;
      /** A picture: address, base64 or data URL. */
      profilePicture?: string;
    };
    /** A member of a group. */
    GroupParticipant: {
      /** Identifier of the user, in phone-number form when the number is known. */
      id: string;
      /** `admin`, `superadmin`, or null. */
      admin?: string | null;
      /** LID of the user, when known (superset of the interface). */
      lid?: string;
      /** User name, when the platform sent it (superset of the interface). */
      username?: string;
    };
    /** A group. Times are seconds since the epoch. */
    GroupRecord: {
      id: string;
      /** The name of the group. */
      subject: string;
      /** The JID of the user who set the name. */
      subjectOwner: string;
      /** When the name was set, in seconds since the epoch. */
      subjectTime: number;
      /** The address of the group picture; null when it is hidden or missing. */
      pictureUrl?: string | null;
      /** Number of participants. */
      size: number;
      /** When the group was created, in seconds since the epoch. */
      creation: number;
      /** The JID of the owner of the group. */
      owner: string;
      /** The description of the group. */
      desc?: string;
      /** The id of this version of the description. */
      descId?: string;
      /** Only admins edit the settings. */
      restrict: boolean;
      /** Only admins send messages. */
      announce: boolean;
      /** Holds other groups. */
      isCommunity?: boolean;
      /** The announcements of a community. */
      isCommunityAnnounce?: boolean;
      /** The community it belongs to. */
      linkedParent?: string;
      /** Every member may add others (superset of the interface). */
      memberAddMode?: boolean;
      /** Users who join by link wait for an admin (superset of the interface). */
      joinApprovalMode?: boolean;
      /** Seconds after which messages disappear; missing when they stay. */
      ephemeralDuration?: number;
      /** How the platform names its members: lid or pn. */
      addressingMode?: string;
      /** The members of the group. */
      participants?: components['schemas']['GroupParticipant'][];
      /** The result for each requested member; in the answer to create only (superset of the interface). */
      updateParticipants?: components['schemas']['ParticipantResult'][];
      /** What else was asked for and did not happen; the group exists all the same. In the answer to create only. */
      failed?: {
        /** Field of the request. */
        field: string;
        /** As in errors. */
        code: string;
        message: string;
      }[];
    };
    /** What to do with whom. */
    UpdateParticipantBody: {
      action: "add" | "remove" | "promote" | "demote";
      participants: components['schemas']['Participants'];
    };
    /** The result for one participant. */
    ParticipantResult: {
      /** Platform code as text: 200 done, 403 may not be added (privacy), 404 not on the platform or not in the group, 408 left recently, 409 already in. */
      status: string;
      /** In phone-number form when the number is known. */
      jid: string;
      /** What the platform said. */
      content?: {
        tag?: string;
        attrs?: { [name: string]: string };
        content?: {
          tag?: string;
          attrs?: { [name: string]: string };
        }[];
      };
    };
    /** The result for each participant. */
    ParticipantsResult: {
      updateParticipants: components['schemas']['ParticipantResult'][];
    };
    /** The setting to apply. */
    UpdateSettingBody: {
      /** announcement: only admins send; not_announcement: all members send; locked: only admins edit the settings; unlocked: all members edit them. */
      action: "announcement" | "not_announcement" | "locked" | "unlocked";
    };
    /** Nothing to report beyond success. */
    EmptyResult: Record<string, never>;
    /** After how many seconds messages disappear; 0 keeps them. */
    ToggleEphemeralBody: {
      /** The number of seconds after which messages disappear; 0 keeps them. */
      expiration: 0 | 86400 | 604800 | 7776000;
    };
    /** Done. */
    SuccessResult: {
      success: boolean;
    };
    /** The new description. */
    GroupDescriptionBody: {
      description: components['schemas']['GroupDescription'];
    };
    /** The new picture. */
    GroupPictureBody: {
      image: components['schemas']['GroupPicture'];
    };
    /** The new name. */
    GroupSubjectBody: {
      subject: components['schemas']['GroupSubject'];
    };
    /** The invite link of a group. */
    InviteResult: {
      /** The invite link. */
      inviteUrl: string;
      /** The code in the invite link. */
      inviteCode: string;
    };
    /** The group that was joined. */
    AcceptInviteResult: {
      accepted: boolean;
      /** The JID of the group. */
      groupJid: string;
    };
    /** Who is in a group. */
    GroupMembers: {
      /** The members of the group. */
      participants: ({
        /** Identifier of the user, in phone-number form when the number is known. */
        id: string;
        /** `admin`, `superadmin`, or null. */
        admin?: string | null;
        /** LID of the user, when known. */
        lid?: string;
        /** The name that the user chose, as far as the instance knows it. */
        name: string | null;
        /** Null: pictures of people are not kept, see fetchProfilePictureUrl. */
        imgUrl: string | null;
      })[];
    };
    /** Whom to invite, and in which words. */
    SendInviteBody: {
      /** Stands above the link. */
      description?: string;
      /** Phone numbers with country code. */
      numbers: components['schemas']['Recipient'][];
    };
    /** Who was written to. */
    SentInvite: {
      /** True when none failed. */
      send: boolean;
      /** The invite link. */
      inviteUrl: string;
      sent: {
        /** As given. */
        number: string;
        /** Identifier of the message. */
        id: string;
      }[];
      failed: {
        /** As given. */
        number: string;
        /** As in errors. */
        code: string;
        message: string;
      }[];
    };
    /** The invite link that replaces the old one. */
    RevokedInvite: {
      revoked: boolean;
      /** The code in the invite link. */
      inviteCode: string;
      /** The invite link. */
      inviteUrl: string;
    };
    /** The group that was left. */
    LeftGroup: {
      /** The JID of the group. */
      groupJid: string;
      leave: boolean;
    };
    /** Who waits to be let in. */
    JoinRequests: {
      /** The users who wait for approval. */
      requests: {
        /** In phone-number form when the number is known. */
        jid: string;
        /** LID of the user, when known. */
        lid?: string;
        /** Seconds since the epoch. */
        requestedAt: number;
        /** The platform's word, such as invite_link. */
        method?: string;
      }[];
    };
    /** What to do with whom. */
    JoinDecisionBody: {
      action: "approve" | "reject";
      participants: components['schemas']['Participants'];
    };
    /** Who adds members. */
    MemberAddModeBody: {
      mode: "admin_add" | "all_member_add";
    };
    /** Whether an admin lets people in. */
    JoinApprovalModeBody: {
      mode: "on" | "off";
    };
    /** A new channel. */
    CreateChannelBody: {
      name: string;
      description?: string;
    };
    /** Which channel, and what it shows from now on. */
    UpdateChannelBody: {
      /** Its JID, its link, or the code in the link. */
      channel: string;
      name?: string;
      description?: string;
      /** A picture: address, base64 or data URL. */
      image?: string;
    };
    /** Which channel. */
    ChannelBody: {
      /** Its JID, its link, or the code in the link. */
      channel: string;
    };
    /** Which channel, and whether it is muted. */
    MuteChannelBody: {
      /** Its JID, its link, or the code in the link. */
      channel: string;
      /** Whether the channel is muted. */
      muted: boolean;
    };
    /** A channel. */
    ChannelRecord: {
      /** Its JID, which sends take as `number`. */
      id: string;
      name: string;
      description: string;
      /** Seconds since the epoch. */
      creation: number;
      /** The code in the invite link. */
      inviteCode: string;
      /** The invite link. */
      inviteUrl: string;
      /** The number of followers. */
      subscribers: number;
      /** Whether the platform verified the channel. */
      verified: boolean;
      /** The platform's word: active, suspended, geosuspended. */
      state: string;
      /** What this account is to it: owner, admin, subscriber or guest. */
      role: string;
      /** Whether the channel is muted. */
      muted: boolean;
    };
    /** Channels. */
    ChannelList: components['schemas']['ChannelRecord'][];
    /** What was changed. */
    ChannelChange: {
      /** JID of the channel. */
      id: string;
    };
    /** Posts of a channel, newest first. */
    ChannelPosts: {
      key: {
        /** The chat of the message. */
        remoteJid: string;
        /** Whether this account sent the message. */
        fromMe: boolean;
        /** The id of the message. */
        id: string;
      };
      /** Its number in the channel. */
      serverId: string;
      /** One content object, named after the kind. */
      message: { [name: string]: unknown };
      /** The name of the content object of the message. */
      messageType: string;
      /** Seconds since the epoch. */
      messageTimestamp: number;
      /** The number of views. */
      views: number;
      /** The reactions with their numbers. */
      reactions: {
        /** The emoji. */
        reaction: string;
        /** The number of accounts that reacted with this emoji. */
        count: number;
      }[];
    }[];
    /** Labels of an account. */
    Labels: {
      id: string;
      name: string;
      /** The platform's number of the color. */
      color: number;
      /** Of labels that every account has. */
      predefinedId?: string;
    }[];
    /** Which label, which chat. */
    HandleLabelBody: {
      number: components['schemas']['Recipient'];
      /** The id of the label. */
      labelId: string;
      action: "add" | "remove";
    };
    /** What was done. */
    LabelResult: {
      numberJid: string;
      /** The id of the label. */
      labelId: string;
      add?: boolean;
      remove?: boolean;
    };
    /** Settings to change; at least one. */
    SetSettingsBody: {
      /** Incoming calls are refused. */
      rejectCall?: boolean;
      /** Text sent to callers; empty for none. */
      msgCall?: string;
      /** Nothing of groups is reported. */
      groupsIgnore?: boolean;
      /** The account is shown as online while connected. */
      alwaysOnline?: boolean;
      /** What arrives is marked as read. */
      readMessages?: boolean;
      /** Statuses of contacts are reported, and marked as seen. */
      readStatus?: boolean;
      /** The phone is asked for its whole history at the next link. */
      syncFullHistory?: boolean;
      /** What is posted in channels that the account follows is reported. */
      readChannels?: boolean;
    };
    /** The same, as older clients spell it. */
    SetSettingsSnakeBody: {
      /** Whether incoming calls are rejected. */
      reject_call?: boolean;
      /** The text that is sent to callers; empty sends none. */
      msg_call?: string;
      /** Whether events of groups are omitted. */
      groups_ignore?: boolean;
      /** Whether the account is shown as online while it is connected. */
      always_online?: boolean;
      /** Whether incoming messages are marked as read. */
      read_messages?: boolean;
      /** Whether statuses of contacts are reported and marked as seen. */
      read_status?: boolean;
      /** Whether the phone is asked for its whole history at the next link. */
      sync_full_history?: boolean;
      /** Whether posts of followed channels are reported. */
      read_channels?: boolean;
    };
    /** The settings in force, in both spellings. */
    SettingsRecord: {
      /** Incoming calls are refused. */
      rejectCall: boolean;
      /** Text sent to callers; empty for none. */
      msgCall: string;
      /** Nothing of groups is reported. */
      groupsIgnore: boolean;
      /** The account is shown as online while connected. */
      alwaysOnline: boolean;
      /** What arrives is marked as read. */
      readMessages: boolean;
      /** Statuses of contacts are reported, and marked as seen. */
      readStatus: boolean;
      /** The phone is asked for its whole history at the next link. */
      syncFullHistory: boolean;
      /** What is posted in channels that the account follows is reported. */
      readChannels: boolean;
      /** Whether incoming calls are rejected. */
      reject_call: boolean;
      /** The text that is sent to callers; empty sends none. */
      msg_call: string;
      /** Whether events of groups are omitted. */
      groups_ignore: boolean;
      /** Whether the account is shown as online while it is connected. */
      always_online: boolean;
      /** Whether incoming messages are marked as read. */
      read_messages: boolean;
      /** Whether statuses of contacts are reported and marked as seen. */
      read_status: boolean;
      /** Whether the phone is asked for its whole history at the next link. */
      sync_full_history: boolean;
      /** Whether posts of followed channels are reported. */
      read_channels: boolean;
    };
    /** What was set, and everything else as it is. */
    SettingsEcho: {
      settings: {
        /** The name of the instance. */
        instanceName: string;
        settings: components['schemas']['SettingsRecord'];
      };
    };
    /** A proxy. Names are resolved by it. */
    ProxyInput: {
      /** Name or address. */
      host: string;
      /** The port of the proxy. */
      port: number;
      /** The protocol of the proxy. */
      protocol: "http" | "https" | "socks5" | "socks" | "socks5h";
      /** The user name for the proxy. */
      username?: string;
      /** The password for the proxy. */
      password?: string;
    };
    /** A proxy in use, without its password. */
    ProxyRecord: {
      id: string;
      /** Whether the proxy is used. */
      enabled: boolean;
      /** Empty when what is stored cannot be read; nothing is connected to then. */
      host: string;
      /** The port of the proxy. */
      port: string;
      /** The protocol of the proxy. */
      protocol: string;
      /** The user name for the proxy. */
      username: string;
      /** Whether a password is stored. */
      hasPassword: boolean;
      /** The id of the instance. */
      instanceId: string;
      /** The time of the last change. */
      updatedAt: string;
    };
    /** The proxy to use, or none. */
    SetProxyBody: {
      /** Whether the proxy is used. */
      enabled: boolean;
      proxy?: components['schemas']['ProxyInput'];
    };
    /** The same with its fields at the top. */
    SetProxyFlatBody: {
      /** Whether the proxy is used. */
      enabled: boolean;
      /** The host of the proxy. */
      host?: string;
      /** Also as text. */
      port?: number;
      /** The protocol of the proxy. */
      protocol?: "http" | "https" | "socks5" | "socks" | "socks5h";
      /** The user name for the proxy. */
      username?: string;
      /** The password for the proxy. */
      password?: string;
    };
    /** The proxy of an instance, as both generations of clients read it; without one, nothing is enabled and all is empty. */
    ProxyConfig: {
      id?: string;
      /** Whether the proxy is used. */
      enabled: boolean;
      /** The host of the proxy. */
      host: string;
      /** The port of the proxy. */
      port: string;
      /** The protocol of the proxy. */
      protocol: string;
      /** The user name for the proxy. */
      username: string;
      /** Whether a password is stored. */
      hasPassword: boolean;
      /** The id of the instance. */
      instanceId?: string;
      /** The time of the last change. */
      updatedAt?: string;
      proxy: components['schemas']['ProxyRecord'] | null;
    };
    /** The proxy of an instance. */
    ProxyEcho: {
      proxy: {
        /** The name of the instance. */
        instanceName: string;
        proxy: components['schemas']['ProxyConfig'];
      };
    };
    /** Whom to call. */
    OfferCallBody: {
      number: components['schemas']['Recipient'];
      /** Whether it is a video call. */
      isVideo?: boolean;
      /** Seconds. */
      callDuration?: number;
    };
    /** What is wanted, at the top or in an object `websocket`. */
    WebsocketBody: {
      /** Whether socket.io is enabled. */
      enabled: boolean;
      /** Missing or empty means all. */
      events?: components['schemas']['EventName'][];
    };
    /** Which events go to sockets of an instance. */
    WebsocketRecord: {
      id: string;
      /** Whether socket.io is enabled. */
      enabled: boolean;
      /** The names of the subscribed events. */
      events: string[];
      /** The time of creation. */
      createdAt: string;
      /** The time of the last change. */
      updatedAt: string;
      /** The id of the instance. */
      instanceId: string;
    };
    /** The same; only the first two when nothing was ever set, or when the gateway has no sockets. */
    WebsocketConfig: {
      id?: string;
      /** Whether socket.io is enabled. */
      enabled: boolean;
      /** The names of the subscribed events. */
      events: string[];
      /** The time of creation. */
      createdAt?: string;
      /** The time of the last change. */
      updatedAt?: string;
      /** The id of the instance. */
      instanceId?: string;
    };
    /** What is in force now, as newer clients read it and, under `websocket`, as older ones do. */
    WebsocketEcho: {
      id?: string;
      /** Whether socket.io is enabled. */
      enabled: boolean;
      /** The names of the subscribed events. */
      events: string[];
      /** The time of creation. */
      createdAt?: string;
      /** The time of the last change. */
      updatedAt?: string;
      /** The id of the instance. */
      instanceId?: string;
      /** Why there are none. */
      message?: string;
      websocket: components['schemas']['NamedTransport'];
    };
    /** What is asked for, at the top or in an object with the name of the transport. */
    TransportBody: {
      enabled: boolean;
      /** The names of the subscribed events. */
      events?: string[];
    };
    /** A transport as older clients read it. */
    TransportRecord: {
      /** False for what is not offered. */
      enabled: boolean;
      /** The names of the subscribed events. */
      events: string[];
    };
    /** What applies after the request. */
    TransportEcho: {
      /** Always false. */
      enabled: boolean;
      /** The names of the subscribed events. */
      events: string[];
      /** Why. */
      message: string;
      rabbitmq?: components['schemas']['NamedTransport'];
      sqs?: components['schemas']['NamedTransport'];
      nats?: components['schemas']['NamedTransport'];
      kafka?: components['schemas']['NamedTransport'];
      pusher?: components['schemas']['NamedTransport'];
    };
    /** The same as older clients read it, under the name of the transport twice. */
    NamedTransport: {
      /** The name of the instance. */
      instanceName: string;
      websocket?: components['schemas']['TransportRecord'];
      rabbitmq?: components['schemas']['TransportRecord'];
      sqs?: components['schemas']['TransportRecord'];
      nats?: components['schemas']['TransportRecord'];
      kafka?: components['schemas']['TransportRecord'];
      pusher?: components['schemas']['TransportRecord'];
    };
    /** A webhook configuration. Every spelling that clients use is understood. */
    WebhookInput: {
      /** True when missing. */
      enabled?: boolean;
      /** The address with http or https; may be empty when disabled. */
      url?: string;
      /** Missing or empty means all. */
      events?: components['schemas']['EventName'][];
      /** Extra headers for every post. One named `jwt_key` becomes the key of an HS256 token in the Authorization header instead. */
      headers?: { [name: string]: string };
      /** Append the event to the address: /messages-upsert. */
      byEvents?: boolean;
      /** Put files into the posts of their messages, as `message.base64`. */
      base64?: boolean;
      /** Whether the name of the event is appended to the address. */
      webhookByEvents?: boolean;
      /** Whether posts contain the files of their messages as base64. */
      webhookBase64?: boolean;
      /** Whether the name of the event is appended to the address. */
      webhook_by_events?: boolean;
      /** Whether posts contain the files of their messages as base64. */
      webhook_base64?: boolean;
    };
    /** A configuration in the wrapped form. */
    SetWebhookBody: {
      webhook: components['schemas']['WebhookInput'];
    };
    /** A configuration in the flat form, in camelCase or snake_case. */
    SetWebhookFlatBody: {
      enabled?: boolean;
      /** The address of the webhook. */
      url: string;
      /** The names of the subscribed events. */
      events?: components['schemas']['EventName'][];
      /** Sent with every post. Those that the gateway sets itself are accepted and not sent: `content-type` with application/json, `content-encoding` with identity, `host` with the host of `url`, and with any value `content-length`, `connection`, `keep-alive`, `proxy-connection`, `te`, `trailer`, `transfer-encoding`, `upgrade` and `expect`. Other values of the first three, `webhook-…` and other `proxy-…` answer 400. */
      headers?: { [name: string]: string };
      /** Whether the name of the event is appended to the address. */
      webhookByEvents?: boolean;
      /** Whether posts contain the files of their messages as base64. */
      webhookBase64?: boolean;
      /** Whether the name of the event is appended to the address. */
      webhook_by_events?: boolean;
      /** Whether posts contain the files of their messages as base64. */
      webhook_base64?: boolean;
    };
    /** The configuration in force, with the field names of every dialect. */
    WebhookConfig: {
      enabled: boolean;
      /** The address of the webhook. */
      url: string;
      /** Names subscribed to; every name when none was chosen. */
      events: string[];
      /** Superset of the interface. */
      webhook_by_events?: boolean;
      /** Superset of the interface. */
      webhook_base64?: boolean;
      /** Superset of the interface. */
      webhookByEvents?: boolean;
      /** Superset of the interface. */
      webhookBase64?: boolean;
      /** Superset of the interface. */
      headers?: { [name: string]: string };
      /** Signs the posts, `whsec_…` (superset of the interface). */
      secret?: string;
      /** Superset of the interface. */
      id?: string;
      /** Superset of the interface. */
      instanceId?: string;
      /** Superset of the interface. */
      createdAt?: string;
      /** Superset of the interface. */
      updatedAt?: string;
    };
    /** Chats whose events are wanted. Each entry is a kind (`direct`, `group`, `status`), a number, or an address; the phone number and the LID of a person mean the same chat. Events that are about no chat are not filtered. */
    ChatFilter: {
      /** No others. Missing or empty means all. */
      only?: string[];
      /** Not these, even if `only` has them. */
      except?: string[];
    };
    /** What a webhook is to be. */
    WebhookEndpointInput: {
      /** True when missing. */
      enabled?: boolean;
      /** The address with http or https; may be empty when disabled. */
      url: string;
      /** Missing or empty means all. */
      events?: components['schemas']['EventName'][];
      /** Extra headers for every post. One named `jwt_key` becomes the key of an HS256 token in the Authorization header instead. */
      headers?: { [name: string]: string };
      /** Append the event to the address: /messages-upsert. */
      byEvents?: boolean;
      /** Put files into the posts of their messages, as `message.base64`. */
      base64?: boolean;
      chats?: components['schemas']['ChatFilter'];
    };
    /** A webhook in force. */
    WebhookEndpoint: {
      id: string;
      /** The one that webhook/set and webhook/find mean. */
      main: boolean;
      /** Whether the webhook is enabled. */
      enabled: boolean;
      /** The address of the webhook. */
      url: string;
      /** Names subscribed to; every name when none was chosen. */
      events: string[];
      headers: { [name: string]: string };
      /** Whether the name of the event is appended to the address. */
      byEvents: boolean;
      /** Whether posts contain the files of their messages as base64. */
      base64: boolean;
      chats: {
        only: string[];
        except: string[];
      };
      /** Signs the posts, `whsec_…`. */
      secret: string;
      /** When the last of the secrets that were replaced ends; null when none signs any more. */
      oldSecretsUntil: string | null;
      /** The time of creation. */
      createdAt: string;
      /** The time of the last change. */
      updatedAt: string;
    };
    /** The webhooks of an instance. */
    WebhookEndpoints: {
      /** The webhooks of the instance. */
      endpoints: components['schemas']['WebhookEndpoint'][];
    };
    /** A webhook that is gone. */
    RemovedWebhook: {
      id: string;
      /** Posts that waited for it. */
      dropped: number;
    };
    /** How the secret is replaced. */
    RotateBody: {
      /** The new secret, `whsec_` and the base64 of 24 to 64 bytes; made when missing. */
      secret?: string;
      /** Hours that the old one signs too; 24 when missing. */
      graceHours?: number;
    };
    /** The secret that signs from now on. */
    RotatedSecret: {
      /** Of the webhook. */
      id: string;
      /** The new signing secret. */
      secret: string;
      /** When the last of the secrets that were replaced ends. */
      oldSecretsUntil: string | null;
    };
    /** What a key may do. `read`: read and listen; `send`: act as the account; `admin`: manage instances, webhooks, settings, keys and the audit. */
    KeyScope: "read" | "send" | "admin";
    /** A key, without the key itself. */
    Key: {
      /** The id of the message. */
      id: string;
      name: string;
      /** The first characters of the key, to recognise it by. */
      hint: string;
      /** The scopes of the key. */
      scopes: components['schemas']['KeyScope'][];
      /** Name of the instance it is bound to; null: all of them. */
      instance: string | null;
      /** The time of creation. */
      createdAt: string;
      /** From then on it opens nothing; null: it stays. */
      expiresAt: string | null;
      /** Null: never. After a crash it may be a minute old. */
      lastUsedAt: string | null;
      /** `id` of the key that follows it; null: it was not rotated. */
      replacedBy: string | null;
    };
    /** All keys, oldest first. */
    KeyList: {
      /** The keys, oldest first. */
      keys: components['schemas']['Key'][];
    };
    /** The key that is wanted. */
    CreateKeyBody: {
      /** What it is for. */
      name: string;
      /** The scopes of the key. */
      scopes: components['schemas']['KeyScope'][];
      /** Name of the instance it is bound to; absent: all of them. */
      instance?: string;
      /** An ISO time with a zone, such as 2026-01-31T12:00:00Z; absent: it stays. */
      expiresAt?: string;
    };
    /** A key that was just made. */
    CreatedKey: {
      /** For the header apikey. It is shown here and never again. */
      key: string;
      /** The id of the message. */
      id: string;
      name: string;
      /** The first characters of the key, to recognise it by. */
      hint: string;
      /** The scopes of the key. */
      scopes: components['schemas']['KeyScope'][];
      /** Name of the instance it is bound to; null: all of them. */
      instance: string | null;
      /** The time of creation. */
      createdAt: string;
      /** From then on it opens nothing; null: it stays. */
      expiresAt: string | null;
      /** Null: never. After a crash it may be a minute old. */
      lastUsedAt: string | null;
      /** `id` of the key that follows it; null: it was not rotated. */
      replacedBy: string | null;
    };
    /** How the old key ends. */
    RotateKeyBody: {
      /** Seconds that the old key goes on; 86400 when absent. */
      overlap?: number;
    };
    /** A key that follows another one. */
    RotatedKey: {
      /** For the header apikey. It is shown here and never again. */
      key: string;
      replaces: {
        id: string;
        /** When the old key ends. */
        expiresAt: string;
      };
      /** The id of the message. */
      id: string;
      name: string;
      /** The first characters of the key, to recognise it by. */
      hint: string;
      /** The scopes of the key. */
      scopes: components['schemas']['KeyScope'][];
      /** Name of the instance it is bound to; null: all of them. */
      instance: string | null;
      /** The time of creation. */
      createdAt: string;
      /** From then on it opens nothing; null: it stays. */
      expiresAt: string | null;
      /** Null: never. After a crash it may be a minute old. */
      lastUsedAt: string | null;
      /** `id` of the key that follows it; null: it was not rotated. */
      replacedBy: string | null;
    };
    /** A key that is no more. */
    RevokedKey: {
      /** The id of the message. */
      id: string;
    };
    /** One request. */
    AuditEntry: {
      /** When it was answered. */
      at: string;
      /** `id` of the key; `global`, or `instance` for the own key of an instance. */
      key: string;
      /** operationId in this document. */
      operation: string;
      /** Name of the instance. */
      instance: string | null;
      /** Id of what else it was about, such as a webhook or a key. */
      subject: string | null;
      /** HTTP status of the answer. */
      status: number;
      /** The id of the request, as in the log. */
      requestId: string;
      /** Address of the caller. */
      address: string;
    };
    /** What was done, oldest first. */
    AuditPage: {
      /** The entries, oldest first. */
      entries: components['schemas']['AuditEntry'][];
      /** `after` for what follows. */
      next: string;
    };
    /** The result of a test event. */
    WebhookTestResult: {
      /** The `webhook-id` of the post. */
      id: string;
      /** A 2xx was answered. */
      delivered: boolean;
      /** HTTP status; null when there was no answer. */
      status: number | null;
      /** How long it took. */
      ms: number;
      /** The first 2048 bytes of the answer, when it is text. With the key of an instance only where the operator keeps webhooks out of private networks (`EGRESS_STRICT`), else null. */
      body: string | null;
      /** Why there was no answer, such as ECONNREFUSED. */
      error: string | null;
    };
    /** Answer to a flat configuration. */
    WebhookEcho: {
      webhook: {
        /** The name of the instance. */
        instanceName: string;
        webhook: components['schemas']['WebhookConfig'];
      };
    };
    /** Of one post: it waits, it was taken, or it was given up. */
    DeliveryState: "waiting" | "delivered" | "dead";
    /** One event on its way to one webhook. */
    DeliveryRecord: {
      /** `webhook-id` of the post. */
      id: string;
      /** Name of the event. */
      event: string;
      endpoint: {
        /** Of the webhook. */
        id: string;
        /** Keys without the scope admin see scheme, host and port, and `***` for the rest. */
        url: string;
      };
      state: components['schemas']['DeliveryState'];
      /** Posts so far, quick retries included. */
      attempts: number;
      /** HTTP status of the last answer; null when there was none. */
      lastStatus: number | null;
      /** Why there was no answer, or why it was given up. */
      lastError: string | null;
      /** ISO time before which it is not tried again; null: as soon as its turn comes, or never. */
      nextAttemptAt: string | null;
      /** When it was queued, the last time. */
      createdAt: string;
      /** ISO time at which it was delivered or given up. */
      settledAt: string | null;
    };
    /** How the receiver behind one webhook fares. */
    EndpointHealth: {
      /** Of the webhook. */
      id: string;
      /** Keys without the scope admin see scheme, host and port, and `***` for the rest. */
      url: string;
      enabled: boolean;
      /** Posts that wait. */
      waiting: number;
      /** Posts that were given up and can be replayed. */
      dead: number;
      /** Age of the oldest post that waits. */
      oldestAgeSeconds: number | null;
      /** Failed attempts since the last post that was received. A refusal (4xx) counts unless others are received. */
      consecutiveFailures: number;
      /** ISO time of the next probe, while nothing else is sent because the receiver is down or refuses everything. */
      breakerOpenUntil: string | null;
      /** ISO time since which nothing was taken. After `WEBHOOK_DISABLE_HOURS` the webhook is disabled. */
      failingSince: string | null;
      /** The result of the last attempt, while nothing is taken. Absent otherwise, and after a start until there is an attempt. */
      lastFailure?: {
        /** HTTP status; null when there was no answer. */
        status: number | null;
        /** Why there was no answer. */
        error: string | null;
        at: string;
      };
      /** Posts dropped since the gateway started because more than `WEBHOOK_BACKLOG` waited. Their events can be replayed while they are kept. */
      shed: {
        /** Presence and statuses, which go first. */
        light: number;
        other: number;
        /** ISO time of the last time. */
        at: string | null;
      };
    };
    /** Deliveries of an instance and the health of its receivers. */
    Deliveries: {
      /** The health of each receiver. */
      endpoints: components['schemas']['EndpointHealth'][];
      /** The deliveries, newest event first. */
      deliveries: components['schemas']['DeliveryRecord'][];
      /** Newest first: all that run, and the last ten that ended, since the start of the process. */
      replays: components['schemas']['ReplayProgress'][];
      /** Cursor of the next page; null when this is the last. */
      next: string | null;
    };
    /** How far a replay is with one webhook. It is counted in memory: after a restart it is gone, while the posts still go out. While a receiver is paused or switched off, its replay waits with it. */
    ReplayProgress: {
      /** As answered by the replay; the same for all webhooks that it posts to. */
      id: string;
      endpoint: {
        id: string;
        /** Keys without the scope admin see scheme, host and port, and `***` for the rest. */
        url: string;
      };
      /** The time of the start. */
      startedAt: string;
      /** Posts. */
      queued: number;
      /** Posts that were taken. */
      delivered: number;
      /** Posts that were given up. */
      dead: number;
      /** Posts that will not be tried: shed for want of room, or their webhook was removed. */
      dropped: number;
      /** Percent of the posts that have ended in one of these ways, rounded down; 0 while more is being queued. */
      progress: number;
      /** All posts have ended. */
      done: boolean;
    };
    /** Which events to post again; at least one of `ids`, `since`, `until` and `dead`. */
    ReplayBody: {
      /** `webhook-id` of the posts. */
      ids?: string[];
      /** ISO time: what happened then or later. */
      since?: string;
      /** ISO time: what happened then or earlier. */
      until?: string;
      /** Only what was given up. */
      dead?: boolean;
      /** Only for the webhook of this id. */
      endpoint?: string;
    };
    /** What a replay queued. */
    Replayed: {
      /** Under which `GET /webhook/deliveries/{instance}` and the event stream show its progress; absent when nothing was queued. */
      id?: string;
      /** Posts, one per event and webhook. */
      queued: number;
      /** Only when more would wait than `WEBHOOK_BACKLOG`: the `since` with which to go on later. */
      resumeSince?: string;
    };
    /** An event as webhooks get it, without `destination` and with what the headers of a post say. */
    LoggedEvent: {
      /** `webhook-id` of its posts. */
      id: string;
      /** `webhook-seq` of its posts. */
      seq: number;
      /** Name of the event. */
      event: string;
      /** Name of the instance. */
      instance: string;
      /** Depends on the event, as under `webhooks`. */
      data: unknown;
      /** When it happened, in UTC. */
      date_time: string;
      /** Own address of the instance, once it is known. */
      sender?: string;
      /** The public address of the gateway. */
      server_url: string;
      /** Only with `WEBHOOK_INCLUDE_APIKEY`. */
      apikey?: string;
    };
    /** A stretch of the events of an instance, oldest first. */
    EventPage: {
      /** The events, oldest first. */
      events: components['schemas']['LoggedEvent'][];
      /** Cursor behind these events, for `after`. */
      next: string;
    };
    /** What every post carries around its `data`. */
    EventEnvelope: {
      /** Name of the event. */
      event: string;
      /** Name of the instance. */
      instance: string;
      /** Depends on the event. */
      data: unknown;
      /** The configured address, without the by-events suffix. */
      destination: string;
      /** When it happened, in UTC. */
      date_time: string;
      /** Own address of the instance, once it is known. */
      sender?: string;
      /** Address of this gateway. */
      server_url: string;
      /** Key of the instance, only when the operator asks for it. */
      apikey?: string;
    };
    /** A message. A text always has `message.conversation` and the messageType `conversation`; when the platform used `extendedTextMessage`, that stays beside it. */
    WebhookMessage: {
      key: components['schemas']['MessageKey'];
      /** Name the sender gave themselves. */
      pushName?: string;
      message: components['schemas']['MessageContent'];
      /** Quotes and mentions of a text. */
      contextInfo?: { [name: string]: unknown };
      /** Name of the content object. */
      messageType: string;
      /** Seconds since the epoch. */
      messageTimestamp: number;
      /** The id of the instance. */
      instanceId: string;
      /** Name of the instance. */
      owner: string;
      source: "android" | "ios" | "web" | "desktop" | "unknown";
      status?: components['schemas']['MessageStatus'];
    };
    /** A contact as far as the platform has described it. */
    WebhookContact: {
      /** The same as remoteJid. */
      id?: string;
      /** Phone-number form when the number is known, else the LID (`…@lid`). */
      remoteJid: string;
      /** LID, when known. */
      lid?: string;
      /** The name that the contact chose. */
      pushName?: string | null;
      /** User name, when the platform sent it. */
      username?: string;
      /** The address of the profile picture; null when it is hidden or missing. */
      profilePicUrl?: string | null;
      /** The same as profilePicUrl. */
      profilePictureUrl?: string | null;
      /** The id of the instance. */
      instanceId: string;
      /** Name of the instance. */
      owner: string;
    };
    /** A QR; or why there will be no more. */
    QrcodeUpdatedData: {
      qrcode: {
        /** The name of the instance. */
        instance: string;
        /** The pairing code to type on the phone; null without a phone number. */
        pairingCode: string | null;
        /** The content of the QR code. */
        code: string;
        /** PNG data URL. */
        base64: string;
        /** The number of this QR code, from 1. */
        count?: number;
      };
    } | {
      message: string;
      statusCode: number;
    };
    /** The new state, why, and what to do. */
    ConnectionUpdateData: {
      /** The name of the instance. */
      instance: string;
      /** refused: the limit of QRs was reached. */
      state: "open" | "connecting" | "close" | "refused";
      /** Close code of the platform, 200 when nothing failed. */
      statusReason: number;
      /** The reason as a stable word. */
      cause?: string;
      /** The reason as a sentence. */
      message?: string;
      /** What a person has to do. */
      userAction?: string;
      /** Next automatic attempt. */
      retryAt?: string;
      /** The account can be linked only with a passkey: the request waits for an answer, or the code for its confirmation. With the cause `passkey_disabled` the setting `PASSKEY_LINKING` is off. */
      passkey?: "required" | "confirm";
      /** The link with the passkey ends then. */
      passkeyExpiresAt?: string;
      /** Own address, when open. */
      wuid?: string;
      /** The name in the profile of the account. */
      profileName?: string;
      /** The address of the profile picture; null when it is hidden or missing. */
      profilePictureUrl?: string | null;
    };
    /** One status of one message; or, without a status, a vote in a poll (`pollUpdates`) or a star (`starred`). */
    MessagesUpdateData: {
      /** Message identifier. */
      keyId: string;
      /** The same as keyId. */
      id: string;
      /** The same as keyId, which is the `id` of the record in findMessages. */
      messageId?: string;
      key: components['schemas']['MessageKey'];
      remoteJid: string;
      fromMe: boolean;
      /** Who reached the status in a group. */
      participant?: string;
      status?: components['schemas']['MessageStatus'];
      /** Milliseconds since the epoch. */
      datetime: number;
      /** The poll as it stands, every option with the addresses of those who chose it. */
      pollUpdates?: {
        name: string;
        voters: string[];
      }[];
      /** The vote that changed it. `options` is empty when it was taken back. */
      vote?: {
        /** Identifier of the message that brought it. */
        id: string;
        /** In phone-number form when the number is known. */
        voter: string;
        /** LID of the voter, when known. */
        lid?: string;
        options: string[];
      };
      /** The message was starred, or its star taken off, on some device of the account. */
      starred?: boolean;
      /** Platform code (status ERROR). */
      code?: string;
      /** What the code means (status ERROR). */
      reason?: string;
      /** The id of the instance. */
      instanceId: string;
      /** Name of the instance. */
      owner: string;
    };
    /** Who does what in a chat. */
    PresenceUpdateData: {
      /** The chat, in phone-number form when the number is known. */
      id: string;
      /** LID of the chat, when known. */
      lid?: string;
      presences: { [name: string]: {
        lastKnownPresence: string;
        /** Seconds since the epoch. */
        lastSeen?: number;
        /** LID of the person, when known. */
        lid?: string;
      } };
    };
    /** A message whose content could not be read. */
    MessagesUndecryptableData: {
      key: components['schemas']['MessageKey'];
      /** The name that the sender chose. */
      pushName?: string;
      /** Seconds since the epoch. */
      messageTimestamp: number;
      /** The cause: `unprocessable` when the content cannot be handled and nothing follows, `view_once` when only the phone shows the message, otherwise the error of the decryption. */
      reason: string;
      /** The id of the instance. */
      instanceId: string;
      /** Name of the instance. */
      owner: string;
    };
    /** An edit of a message. */
    MessageEditData: {
      key: components['schemas']['MessageKey'];
      /** Always MESSAGE_EDIT. */
      type: string;
      editedMessage: components['schemas']['MessageContent'];
      /** Milliseconds since the epoch, as text. */
      timestampMs: string;
      /** Identifier of the edited message. */
      keyId: string;
      /** Identifier of the edit itself, in send.message.update. */
      editId?: string;
      /** The id of the instance. */
      instanceId: string;
      /** Name of the instance. */
      owner: string;
    };
    /** A message that was deleted, for everyone unless `scope` says otherwise. */
    MessagesDeleteData: {
      id: string;
      /** The same as id. */
      keyId?: string;
      /** The same as id. */
      messageId?: string;
      remoteJid: string;
      fromMe: boolean;
      participant?: string;
      key: components['schemas']['MessageKey'];
      /** Always DELETED. */
      status: string;
      /** Only the devices of this account deleted it, for themselves; the store keeps it. */
      scope?: "me";
      /** Milliseconds since the epoch. */
      datetime: number;
      /** The id of the instance. */
      instanceId: string;
      /** Name of the instance. */
      owner: string;
    };
    /** A chat, or what changed about it; what is absent is unknown, or as it was. */
    WebhookChat: {
      /** The chat, in phone-number form when the number is known. */
      remoteJid: string;
      /** The same as remoteJid. */
      id?: string;
      /** LID, when known. */
      lid?: string;
      name?: string;
      /** The number of unread messages; -1 when the chat was marked as unread by hand. */
      unreadMessages?: number;
      /** Seconds since the epoch. */
      lastMsgTimestamp?: number;
      /** Whether the chat is archived. */
      archived?: boolean;
      /** Whether the chat is pinned. */
      pinned?: boolean;
      /** Milliseconds since the epoch; -1: without an end; null: not muted. */
      muteEndTime?: number | null;
      /** Seconds after which messages disappear; 0: they stay. */
      ephemeralExpiration?: number;
      /** The id of the instance. */
      instanceId: string;
      /** Name of the instance. */
      owner: string;
    };
    /** A label as it is now. */
    LabelsEditData: {
      id: string;
      /** May be empty when it was removed. */
      name: string;
      /** Number of the color on the phone. */
      color: number;
      /** Whether the label was removed. */
      deleted: boolean;
      /** Which of the labels that phones come with, if it is one. */
      predefinedId?: string;
      /** The name of the instance. */
      instance: string;
      /** The id of the instance. */
      instanceId: string;
    };
    /** What a label sticks to, or does not stick to any more. */
    LabelsAssociationData: {
      type: "add" | "remove";
      /** The chat, in phone-number form when the number is known. */
      chatId: string;
      /** LID of the chat, when known. */
      lid?: string;
      /** The id of the label. */
      labelId: string;
      /** The message of the chat; absent when it is about the chat itself. */
      messageId?: string;
      /** The name of the instance. */
      instance: string;
      /** The id of the instance. */
      instanceId: string;
    };
    /** The new group. */
    GroupsUpsertData: (components['schemas']['GroupRecord'] & {
      /** Who made it or added this account. */
      author?: string;
      /** LID of the author, when known. */
      authorAlt?: string;
    })[];
    /** What changed; what is missing is as it was. */
    GroupsUpdateData: ({
      id: string;
      /** The name of the group. */
      subject?: string;
      /** Empty when it was removed. */
      desc?: string;
      /** Only admins send messages. */
      announce?: boolean;
      /** Only admins edit the settings. */
      restrict?: boolean;
      /** The new invite code; the old one is void. */
      inviteCode?: string;
      /** True when every member may add others. */
      memberAddMode?: boolean;
      /** True when an admin has to let people in. */
      joinApprovalMode?: boolean;
      /** Seconds after which messages disappear, 0 when they stay. */
      ephemeralDuration?: number;
      picture?: "changed" | "removed";
      /** Who did it, when the platform says so. */
      author?: string;
      /** LID of the author, when known. */
      authorAlt?: string;
    })[];
    /** A person to whom something happened in a group. */
    GroupParticipantData: {
      /** In phone-number form when the number is known, else the LID. */
      jid: string;
      /** Digits, when the number is known. */
      phoneNumber?: string;
      /** LID, when known. */
      lid?: string;
      /** User name, when the platform sent it. */
      username?: string;
      /** Rank, when the platform says it. */
      admin?: "admin" | "superadmin";
    };
    /** Who became what. */
    GroupParticipantsUpdateData: {
      /** The group. */
      id: string;
      /** Who did it, when the platform says so. */
      author?: string;
      /** LID of the author, when known. */
      authorAlt?: string;
      /** Addresses as in participantsData. */
      participants: string[];
      action: "add" | "remove" | "promote" | "demote" | "modify";
      participantsData: components['schemas']['GroupParticipantData'][];
    };
    /** Who wants to join what. */
    GroupJoinRequestData: {
      /** The group. */
      id: string;
      /** revoked: by the user; rejected: by an admin. */
      action: "created" | "revoked" | "rejected";
      /** How the user requested to join, as the platform names it, such as invite_link. */
      method?: string;
      /** Who wants to join. */
      participant: string;
      participantData: components['schemas']['GroupParticipantData'];
      /** Who did it. */
      author?: string;
      /** LID of the author, when known. */
      authorAlt?: string;
    };
    /** A call and its outcome. */
    CallData: {
      /** The caller or the group. */
      chatId: string;
      /** Who calls, in phone-number form when the number is known. */
      from: string;
      /** LID of the caller, when known. */
      fromAlt?: string;
      /** The same in all posts of a call. */
      id: string;
      date: string;
      /** The status as the platform names it, such as offer, ringing, accept, reject, timeout or terminate. */
      status: string;
      /** True when the gateway was away while it rang. */
      offline: boolean;
      /** Whether it is a video call. */
      isVideo?: boolean;
      /** Whether it is a call in a group. */
      isGroup?: boolean;
      /** The JID of the group. */
      groupJid?: string;
      /** The latency that the platform reports, in milliseconds. */
      latencyMs?: number;
    };
    /** How the connection ended. */
    StatusInstanceData: {
      /** The name of the instance. */
      instance: string;
      status: "closed";
      disconnectionAt: string;
      /** Close code of the platform. */
      disconnectionReasonCode: number;
      /** JSON text: the code at error.output.statusCode, cause and sentence in error.output.payload. */
      disconnectionObject: string;
      /** The id of the instance. */
      instanceId: string;
    };
    /** Whether the account is restricted, in what, and until when. */
    InstanceRestrictedData: {
      /** The name of the instance. */
      instance: string;
      /** The two are independent of each other. */
      kind: "new_chats_locked" | "new_chats_capped";
      /** Whether the account is restricted now. */
      restricted: boolean;
      /** The platform's word for it, such as BIZ_QUALITY, CAPPED or FIRST_WARNING. */
      reason: string;
      /** End of the restriction, or of the period that is counted. */
      until?: string;
      /** New chats in this period. */
      quota?: {
        /** The number of new chats that are allowed. */
        total: number;
        /** The number of new chats that were started. */
        used: number;
      };
      /** The id of the instance. */
      instanceId: string;
    };
    /** How far the past of the phone is taken over. */
    HistoryProgressData: {
      /** The name of the instance. */
      instance: string;
      /** What is being sent: the newest of each chat, the last months, or, with `syncFullHistory`, all. One after the other, each counted from 0 to 100. */
      syncType: "INITIAL_BOOTSTRAP" | "RECENT" | "FULL";
      /** Per cent of this kind that is stored. Absent when the phone does not say. */
      progress?: number;
      /** Messages of the past that were new and came as messages.set since the connection opened. */
      messages: number;
      /** RECENT or FULL is complete. INITIAL_BOOTSTRAP never is; RECENT follows. */
      done: boolean;
      /** The id of the instance. */
      instanceId: string;
    };
    /** Which instance. */
    InstanceNameData: {
      /** The name of the instance. */
      instanceName: string;
      /** The id of the instance. */
      instanceId: string;
    };
    /** The start. */
    ApplicationStartupData: {
      /** The name of the instance. */
      instance: string;
      /** The id of the instance. */
      instanceId: string;
      /** The version of the gateway. */
      gatewayVersion: string;
      /** The time of the start. */
      startedAt: string;
    };
    /** The post of qrcode.updated. */
    QrcodeUpdatedEvent: components['schemas']['EventEnvelope'] & {
      /** The name of the event. */
      event?: "qrcode.updated";
      data?: components['schemas']['QrcodeUpdatedData'];
    };
    /** The post of connection.update. */
    ConnectionUpdateEvent: components['schemas']['EventEnvelope'] & {
      /** The name of the event. */
      event?: "connection.update";
      data?: components['schemas']['ConnectionUpdateData'];
    };
    /** The post of messages.upsert. */
    MessagesUpsertEvent: components['schemas']['EventEnvelope'] & {
      /** The name of the event. */
      event?: "messages.upsert";
      data?: components['schemas']['WebhookMessage'];
    };
    /** The post of messages.update. */
    MessagesUpdateEvent: components['schemas']['EventEnvelope'] & {
      /** The name of the event. */
      event?: "messages.update";
      data?: components['schemas']['MessagesUpdateData'];
    };
    /** The post of send.message. */
    SendMessageEvent: components['schemas']['EventEnvelope'] & {
      /** The name of the event. */
      event?: "send.message";
      data?: components['schemas']['WebhookMessage'];
    };
    /** The post of send.message.update. */
    SendMessageUpdateEvent: components['schemas']['EventEnvelope'] & {
      /** The name of the event. */
      event?: "send.message.update";
      data?: components['schemas']['MessageEditData'];
    };
    /** The post of messages.edited. */
    MessagesEditedEvent: components['schemas']['EventEnvelope'] & {
      /** The name of the event. */
      event?: "messages.edited";
      data?: components['schemas']['MessageEditData'];
    };
    /** The post of messages.delete. */
    MessagesDeleteEvent: components['schemas']['EventEnvelope'] & {
      /** The name of the event. */
      event?: "messages.delete";
      data?: components['schemas']['MessagesDeleteData'];
    };
    /** The post of presence.update. */
    PresenceUpdateEvent: components['schemas']['EventEnvelope'] & {
      /** The name of the event. */
      event?: "presence.update";
      data?: components['schemas']['PresenceUpdateData'];
    };
    /** The post of contacts.upsert. */
    ContactsUpsertEvent: components['schemas']['EventEnvelope'] & {
      /** The name of the event. */
      event?: "contacts.upsert";
      /** The contacts. */
      data?: components['schemas']['WebhookContact'][];
    };
    /** The post of contacts.update. */
    ContactsUpdateEvent: components['schemas']['EventEnvelope'] & {
      /** The name of the event. */
      event?: "contacts.update";
      /** The contacts. */
      data?: components['schemas']['WebhookContact'][];
    };
    /** The post of messages.set. */
    MessagesSetEvent: components['schemas']['EventEnvelope'] & {
      /** The name of the event. */
      event?: "messages.set";
      /** The messages. */
      data?: components['schemas']['WebhookMessage'][];
    };
    /** The post of chats.set. */
    ChatsSetEvent: components['schemas']['EventEnvelope'] & {
      /** The name of the event. */
      event?: "chats.set";
      /** The chats. */
      data?: components['schemas']['WebhookChat'][];
    };
    /** The post of chats.upsert. */
    ChatsUpsertEvent: components['schemas']['EventEnvelope'] & {
      /** The name of the event. */
      event?: "chats.upsert";
      /** The chats. */
      data?: components['schemas']['WebhookChat'][];
    };
    /** The post of chats.update. */
    ChatsUpdateEvent: components['schemas']['EventEnvelope'] & {
      /** The name of the event. */
      event?: "chats.update";
      /** The chats. */
      data?: components['schemas']['WebhookChat'][];
    };
    /** The post of chats.delete. */
    ChatsDeleteEvent: components['schemas']['EventEnvelope'] & {
      /** The name of the event. */
      event?: "chats.delete";
      data?: string[];
    };
    /** The post of labels.edit. */
    LabelsEditEvent: components['schemas']['EventEnvelope'] & {
      /** The name of the event. */
      event?: "labels.edit";
      data?: components['schemas']['LabelsEditData'];
    };
    /** The post of labels.association. */
    LabelsAssociationEvent: components['schemas']['EventEnvelope'] & {
      /** The name of the event. */
      event?: "labels.association";
      data?: components['schemas']['LabelsAssociationData'];
    };
    /** The post of messages.undecryptable. */
    MessagesUndecryptableEvent: components['schemas']['EventEnvelope'] & {
      /** The name of the event. */
      event?: "messages.undecryptable";
      data?: components['schemas']['MessagesUndecryptableData'];
    };
    /** The post of logout.instance. */
    LogoutInstanceEvent: components['schemas']['EventEnvelope'] & {
      /** The name of the event. */
      event?: "logout.instance";
      /** Always null. */
      data?: null;
    };
    /** The post of remove.instance. */
    RemoveInstanceEvent: components['schemas']['EventEnvelope'] & {
      /** The name of the event. */
      event?: "remove.instance";
      /** Always null. */
      data?: null;
    };
    /** The post of groups.upsert. */
    GroupsUpsertEvent: components['schemas']['EventEnvelope'] & {
      /** The name of the event. */
      event?: "groups.upsert";
      data?: components['schemas']['GroupsUpsertData'];
    };
    /** The post of groups.update. */
    GroupsUpdateEvent: components['schemas']['EventEnvelope'] & {
      /** The name of the event. */
      event?: "groups.update";
      data?: components['schemas']['GroupsUpdateData'];
    };
    /** The post of group-participants.update. */
    GroupParticipantsUpdateEvent: components['schemas']['EventEnvelope'] & {
      /** The name of the event. */
      event?: "group-participants.update";
      data?: components['schemas']['GroupParticipantsUpdateData'];
    };
    /** The post of group.join-request. */
    GroupJoinRequestEvent: components['schemas']['EventEnvelope'] & {
      /** The name of the event. */
      event?: "group.join-request";
      data?: components['schemas']['GroupJoinRequestData'];
    };
    /** The post of call. */
    CallEvent: components['schemas']['EventEnvelope'] & {
      /** The name of the event. */
      event?: "call";
      data?: components['schemas']['CallData'];
    };
    /** The post of status.instance. */
    StatusInstanceEvent: components['schemas']['EventEnvelope'] & {
      /** The name of the event. */
      event?: "status.instance";
      data?: components['schemas']['StatusInstanceData'];
    };
    /** The post of instance.restricted. */
    InstanceRestrictedEvent: components['schemas']['EventEnvelope'] & {
      /** The name of the event. */
      event?: "instance.restricted";
      data?: components['schemas']['InstanceRestrictedData'];
    };
    /** The post of history.progress. */
    HistoryProgressEvent: components['schemas']['EventEnvelope'] & {
      /** The name of the event. */
      event?: "history.progress";
      data?: components['schemas']['HistoryProgressData'];
    };
    /** The post of instance.create. */
    InstanceCreateEvent: components['schemas']['EventEnvelope'] & {
      /** The name of the event. */
      event?: "instance.create";
      data?: components['schemas']['InstanceNameData'];
    };
    /** The post of instance.delete. */
    InstanceDeleteEvent: components['schemas']['EventEnvelope'] & {
      /** The name of the event. */
      event?: "instance.delete";
      data?: components['schemas']['InstanceNameData'];
    };
    /** The post of webhook.test. */
    WebhookTestEvent: components['schemas']['EventEnvelope'] & {
      /** The name of the event. */
      event?: "webhook.test";
      data?: {
        /** Id of the webhook. */
        webhookId: string;
        /** Whether it gets events. */
        enabled: boolean;
      };
    };
    /** The post of application.startup. */
    ApplicationStartupEvent: components['schemas']['EventEnvelope'] & {
      /** The name of the event. */
      event?: "application.startup";
      data?: components['schemas']['ApplicationStartupData'];
    };
  };
  responses: {
    Received: {
      headers: { [name: string]: unknown };
      content?: never;
    };
    BadQuery: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BadRequest: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BadSessionQuery: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BadSessionRequest: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BadLogout: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BadMessage: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BadContactMessage: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BadMediaMessage: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BadEdit: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BadPicture: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BadFile: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BadGroupQuery: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BadGroupRequest: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BadGroupPicture: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BadChannelQuery: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BadChannelRequest: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BadChannelPicture: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BadPasskey: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BadPasskeyConfirmation: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    PasskeyConflict: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    PasskeyExpired: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BadProxy: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BadWebhook: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BadNewWebhook: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BadInstance: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BadChatRequest: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    Unauthorized: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    Forbidden: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    NotFound: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    LinkRefused: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    Gone: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    CursorExpired: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    FileTooLarge: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    FileUnusable: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    PayloadTooLarge: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    UnsupportedMediaType: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    InFlight: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    KeyMismatch: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    TooManyRequests: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    InternalError: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    NotImplemented: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    BadGateway: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    Unavailable: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    GatewayTimeout: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    Misdirected: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    PeerRefused: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    RequestIncomplete: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
    HeadersTooLarge: {
      headers: { [name: string]: unknown };
      content: {
        "application/json": components['schemas']['ErrorBody'];
      };
    };
  };
}
