"""What can be said for a disputed charge. https://docs.stripe.com/api/disputes/evidence_object"""

from typing import Annotated

from legoenv_mcp.app import Field

from ..params import Params

Piece = Annotated[str | None, Field(max_length=20000)]


class Evidence(Params):
    """What speaks for the charge. An empty string takes a piece back."""

    access_activity_log: Piece = Field(
        default=None, description="Server or activity logs that show the customer used what was bought."
    )
    billing_address: Piece = Field(default=None, description="The billing address that the customer gave.")
    cancellation_policy: Piece = Field(default=None, description="ID of a file with your cancellation policy.")
    cancellation_policy_disclosure: Piece = Field(
        default=None, description="How and when the customer was shown your cancellation policy."
    )
    cancellation_rebuttal: Piece = Field(default=None, description="Why the customer's subscription was not canceled.")
    customer_communication: Piece = Field(
        default=None, description="ID of a file with communication with the customer."
    )
    customer_email_address: Piece = Field(default=None, description="The customer's email address.")
    customer_name: Piece = Field(default=None, description="The customer's name.")
    customer_purchase_ip: Piece = Field(default=None, description="The IP address that the customer bought from.")
    customer_signature: Piece = Field(default=None, description="ID of a file with the customer's signature.")
    duplicate_charge_documentation: Piece = Field(
        default=None, description="ID of a file about the charge that looks like a duplicate."
    )
    duplicate_charge_explanation: Piece = Field(
        default=None, description="How the disputed charge differs from the one that looks like a duplicate."
    )
    duplicate_charge_id: Piece = Field(
        default=None, description="ID of the earlier charge that looks like a duplicate."
    )
    product_description: Piece = Field(default=None, description="What was sold.")
    receipt: Piece = Field(default=None, description="ID of a file with the receipt.")
    refund_policy: Piece = Field(default=None, description="ID of a file with your refund policy.")
    refund_policy_disclosure: Piece = Field(
        default=None, description="How and when the customer was shown your refund policy."
    )
    refund_refusal_explanation: Piece = Field(default=None, description="Why the customer is not entitled to a refund.")
    service_date: Piece = Field(default=None, description="When the customer got the service.")
    service_documentation: Piece = Field(default=None, description="ID of a file that shows the service was given.")
    shipping_address: Piece = Field(default=None, description="Where the goods were sent.")
    shipping_carrier: Piece = Field(default=None, description="The delivery service that took the goods.")
    shipping_date: Piece = Field(default=None, description="When the goods were sent.")
    shipping_documentation: Piece = Field(default=None, description="ID of a file that shows the goods were sent.")
    shipping_tracking_number: Piece = Field(default=None, description="The carrier's tracking number.")
    uncategorized_file: Piece = Field(default=None, description="ID of a file with anything else.")
    uncategorized_text: Piece = Field(default=None, description="Anything else.")
